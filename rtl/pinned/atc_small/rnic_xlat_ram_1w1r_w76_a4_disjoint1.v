// rnic_xlat_ram_1w1r_w76_a4_disjoint1: block RAM, one write and one read port, old value on a collision
//
// rnic-xlat 0.1.0, configuration small
// Parameters: W = 76, A = 4, DISJOINT = 1
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_ram_1w1r_w76_a4_disjoint1 (
  input  wire        clock,

  // Write port
  input  wire        wr_en,
  input  wire [3:0]  wr_addr,
  input  wire [75:0] wr_data,

  // Read port; the data come after the edge and stay until the next read
  input  wire        rd_en,
  input  wire [3:0]  rd_addr,
  output wire [75:0] rd_data
);

  (* no_rw_check *) reg [75:0] words [0:15];
  reg [75:0] value = 76'h0;
  integer i;

  initial begin
    for (i = 0; i <= 15; i = i + 1) words[i] = 76'h0;
  end

  always @(posedge clock) begin
    if (wr_en) words[wr_addr] <= wr_data;
    if (rd_en) value <= words[rd_addr];
  end

  assign rd_data = value;
endmodule

`default_nettype wire
