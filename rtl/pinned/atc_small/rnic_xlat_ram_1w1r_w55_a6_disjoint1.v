// rnic_xlat_ram_1w1r_w55_a6_disjoint1: block RAM, one write and one read port, old value on a collision
//
// rnic-xlat 0.1.0, configuration small
// Parameters: W = 55, A = 6, DISJOINT = 1
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_ram_1w1r_w55_a6_disjoint1 (
  input  wire        clock,

  // Write port
  input  wire        wr_en,
  input  wire [5:0]  wr_addr,
  input  wire [54:0] wr_data,

  // Read port; the data come after the edge and stay until the next read
  input  wire        rd_en,
  input  wire [5:0]  rd_addr,
  output wire [54:0] rd_data
);

  (* no_rw_check *) reg [54:0] words [0:63];
  reg [54:0] value = 55'h0;
  integer i;

  initial begin
    for (i = 0; i <= 63; i = i + 1) words[i] = 55'h0;
  end

  always @(posedge clock) begin
    if (wr_en) words[wr_addr] <= wr_data;
    if (rd_en) value <= words[rd_addr];
  end

  assign rd_data = value;
endmodule

`default_nettype wire
