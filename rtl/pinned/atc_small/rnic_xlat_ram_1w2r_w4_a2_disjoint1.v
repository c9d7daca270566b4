// rnic_xlat_ram_1w2r_w4_a2_disjoint1: block RAM, one write and two read ports, old value on a collision
//
// rnic-xlat 0.1.0, configuration small
// Parameters: W = 4, A = 2, DISJOINT = 1
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_ram_1w2r_w4_a2_disjoint1 (
  input  wire       clock,

  // Write port
  input  wire       wr_en,
  input  wire [1:0] wr_addr,
  input  wire [3:0] wr_data,

  // First read port; the data come after the edge and stay until the next read
  input  wire       rd0_en,
  input  wire [1:0] rd0_addr,
  output wire [3:0] rd0_data,

  // Second read port, likewise
  input  wire       rd1_en,
  input  wire [1:0] rd1_addr,
  output wire [3:0] rd1_data
);

  // Signals
  wire       copy0_wr_en;
  wire [1:0] copy0_wr_addr;
  wire [3:0] copy0_wr_data;
  wire       copy0_rd_en;
  wire [1:0] copy0_rd_addr;
  wire [3:0] copy0_rd_data;
  wire       copy1_wr_en;
  wire [1:0] copy1_wr_addr;
  wire [3:0] copy1_wr_data;
  wire       copy1_rd_en;
  wire [1:0] copy1_rd_addr;
  wire [3:0] copy1_rd_data;

  rnic_xlat_ram_1w1r_w4_a2_disjoint1 copy0 (
    .clock(clock),
    .wr_en(copy0_wr_en),
    .wr_addr(copy0_wr_addr),
    .wr_data(copy0_wr_data),
    .rd_en(copy0_rd_en),
    .rd_addr(copy0_rd_addr),
    .rd_data(copy0_rd_data)
  );

  rnic_xlat_ram_1w1r_w4_a2_disjoint1 copy1 (
    .clock(clock),
    .wr_en(copy1_wr_en),
    .wr_addr(copy1_wr_addr),
    .wr_data(copy1_wr_data),
    .rd_en(copy1_rd_en),
    .rd_addr(copy1_rd_addr),
    .rd_data(copy1_rd_data)
  );

  assign copy0_wr_en = wr_en;
  assign copy0_wr_addr = wr_addr;
  assign copy0_wr_data = wr_data;
  assign copy0_rd_en = rd0_en;
  assign copy0_rd_addr = rd0_addr;
  assign rd0_data = copy0_rd_data;
  assign copy1_wr_en = wr_en;
  assign copy1_wr_addr = wr_addr;
  assign copy1_wr_data = wr_data;
  assign copy1_rd_en = rd1_en;
  assign copy1_rd_addr = rd1_addr;
  assign rd1_data = copy1_rd_data;
endmodule

`default_nettype wire
