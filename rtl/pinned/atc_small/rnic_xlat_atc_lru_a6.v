// rnic_xlat_atc_lru_a6: exact LRU order of the sets of the ATC, one bit a pair of ways
//
// rnic-xlat 0.1.0, configuration small
// Parameters: A = 6
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_atc_lru_a6 (
  input  wire       clock,
  input  wire       reset,

  // Read port of lookups; the order comes three edges later
  input  wire [5:0] lookup_set,
  output wire [5:0] lookup_order,

  // Read port of the engine, likewise
  input  wire [5:0] engine_set,
  output wire [5:0] engine_order,

  // Clearing a set
  input  wire       clear_en,
  input  wire [5:0] clear_set,

  // Use of a way
  input  wire       touch_en,
  input  wire [5:0] touch_set,
  input  wire [3:0] touch_ways,
  input  wire [5:0] touch_order
);

  // Constants
  localparam [5:0] pairs = 6'h3f;

  // Signals
  reg  [5:0] touched;
  wire       lookup_same;
  wire       engine_same;
  wire       ram_wr_en;
  wire [5:0] ram_wr_addr;
  wire [5:0] ram_wr_data;
  wire       ram_rd0_en;
  wire [5:0] ram_rd0_addr;
  wire [5:0] ram_rd0_data;
  wire       ram_rd1_en;
  wire [5:0] ram_rd1_addr;
  wire [5:0] ram_rd1_data;

  // Registers
  reg        write_en_q = 1'b0;
  wire       write_en_d;
  reg  [5:0] write_set_q = 6'h0;
  reg  [5:0] write_set_d;
  reg  [5:0] write_order_q = 6'h0;
  reg  [5:0] write_order_d;
  reg  [5:0] forward_q = 6'h0;
  wire [5:0] forward_d;
  reg        lookup_forward_q = 1'b0;
  wire       lookup_forward_d;
  reg        engine_forward_q = 1'b0;
  wire       engine_forward_d;
  reg  [5:0] lookup_read_q = 6'h0;
  reg  [5:0] lookup_read_d;
  reg  [5:0] engine_read_q = 6'h0;
  reg  [5:0] engine_read_d;
  reg  [5:0] lookup_out_q = 6'h0;
  wire [5:0] lookup_out_d;
  reg  [5:0] engine_out_q = 6'h0;
  wire [5:0] engine_out_d;

  rnic_xlat_ram_1w2r_w6_a6_disjoint1 ram (
    .clock(clock),
    .wr_en(ram_wr_en),
    .wr_addr(ram_wr_addr),
    .wr_data(ram_wr_data),
    .rd0_en(ram_rd0_en),
    .rd0_addr(ram_rd0_addr),
    .rd0_data(ram_rd0_data),
    .rd1_en(ram_rd1_en),
    .rd1_addr(ram_rd1_addr),
    .rd1_data(ram_rd1_data)
  );

  always @* begin
    // The order after a use: the way's row is set, its column cleared.
    touched = touch_order;
    if (touch_ways[0]) begin
      touched = touch_order | 6'h7;
    end
    if (touch_ways[1]) begin
      touched = (touch_order & 6'h3e) | 6'h18;
    end
    if (touch_ways[2]) begin
      touched = (touch_order & 6'h35) | 6'h20;
    end
    if (touch_ways[3]) begin
      touched = touch_order & 6'hb;
    end
  end

  assign write_en_d = (clear_en | touch_en) & (~reset);

  always @* begin
    write_set_d = touch_set;
    write_order_d = touched & pairs;
    if (clear_en) begin
      write_set_d = clear_set;
      write_order_d = pairs;
    end
  end

  assign ram_wr_en = write_en_q;
  assign ram_wr_addr = write_set_q;
  assign ram_wr_data = write_order_q;
  assign ram_rd0_en = 1'b1;
  assign ram_rd0_addr = lookup_set;
  assign ram_rd1_en = 1'b1;
  assign ram_rd1_addr = engine_set;
  // A read that meets a write takes what is written.
  assign lookup_same = write_set_q == lookup_set;
  assign engine_same = write_set_q == engine_set;
  assign forward_d = write_order_q;
  assign lookup_forward_d = write_en_q & lookup_same;
  assign engine_forward_d = write_en_q & engine_same;

  always @* begin
    lookup_read_d = ram_rd0_data;
    if (lookup_forward_q) begin
      lookup_read_d = forward_q;
    end
  end

  always @* begin
    engine_read_d = ram_rd1_data;
    if (engine_forward_q) begin
      engine_read_d = forward_q;
    end
  end

  assign lookup_out_d = lookup_read_q;
  assign engine_out_d = engine_read_q;
  assign lookup_order = lookup_out_q;
  assign engine_order = engine_out_q;

  always @(posedge clock) begin
    write_en_q <= write_en_d;
    write_set_q <= write_set_d;
    write_order_q <= write_order_d;
    forward_q <= forward_d;
    lookup_forward_q <= lookup_forward_d;
    engine_forward_q <= engine_forward_d;
    lookup_read_q <= lookup_read_d;
    engine_read_q <= engine_read_d;
    lookup_out_q <= lookup_out_d;
    engine_out_q <= engine_out_d;
  end
endmodule

`default_nettype wire
