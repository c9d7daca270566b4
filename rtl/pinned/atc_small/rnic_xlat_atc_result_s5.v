// rnic_xlat_atc_result_s5: result of a lookup of the ATC, and its statistics
//
// rnic-xlat 0.1.0, configuration small
// Parameters: S = 5
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_atc_result_s5 (
  input  wire        clock,
  input  wire        reset,

  // Lookup e3
  input  wire        valid,
  input  wire        live,
  input  wire        pending,
  input  wire [4:0]  slot,
  input  wire [3:0]  epoch,
  input  wire [29:0] iova,

  // Base-granule array
  input  wire        base_hit,
  input  wire        base_named,
  input  wire        base_odd,
  input  wire [51:0] base_address,
  input  wire        base_untranslated,
  input  wire        base_no_snoop,

  // Large-page array
  input  wire        large_hit,
  input  wire        large_named,
  input  wire [51:0] large_data,

  // Result
  output wire        result_valid,
  output wire [4:0]  result_slot,
  output wire        result_hit,
  output wire [63:0] result_address,
  output wire        result_untranslated,
  output wire        result_no_snoop,
  output wire [3:0]  result_epoch,

  // Statistics, an edge after the result
  output wire        stat_hit_base,
  output wire        stat_hit_large,
  output wire        stat_miss,
  output wire        stat_miss_permission,
  output wire        stat_miss_pending,
  output wire        stat_parity
);

  // Signals
  wire [51:0] word_read;
  wire        from_large;
  reg  [51:0] large_address;
  wire        hit;
  reg  [63:0] whole;

  // Registers
  reg         r_valid_q = 1'b0;
  reg         r_valid_d;
  reg  [4:0]  r_slot_q = 5'h0;
  reg  [4:0]  r_slot_d;
  reg         r_hit_q = 1'b0;
  reg         r_hit_d;
  reg  [63:0] r_address_q = 64'h0;
  reg  [63:0] r_address_d;
  reg         r_untranslated_q = 1'b0;
  reg         r_untranslated_d;
  reg         r_no_snoop_q = 1'b0;
  reg         r_no_snoop_d;
  reg  [3:0]  r_epoch_q = 4'h0;
  reg  [3:0]  r_epoch_d;
  reg         r_large_q = 1'b0;
  wire        r_large_d;
  reg         r_named_q = 1'b0;
  wire        r_named_d;
  reg         r_pending_q = 1'b0;
  wire        r_pending_d;
  reg         r_odd_q = 1'b0;
  reg         r_odd_d;
  reg         o_hit_base_q = 1'b0;
  reg         o_hit_base_d;
  reg         o_hit_large_q = 1'b0;
  reg         o_hit_large_d;
  reg         o_miss_q = 1'b0;
  reg         o_miss_d;
  reg         o_miss_permission_q = 1'b0;
  reg         o_miss_permission_d;
  reg         o_miss_pending_q = 1'b0;
  reg         o_miss_pending_d;
  reg         o_parity_q = 1'b0;
  reg         o_parity_d;

  // e3: either array; the large-page array has masked the other if it answers.
  assign word_read = large_data;
  assign from_large = large_hit & live;

  always @* begin
    large_address = 52'h0;
    if (from_large) begin
      large_address = {48'h0, iova[15:12]} | ({4'h0, word_read[47:0]} << 4);
    end
    if (from_large & word_read[48]) begin
      large_address = large_address | {43'h0, iova[20:12]};
    end
    if (from_large & word_read[49]) begin
      large_address = large_address | {34'h0, iova[29:12]};
    end
  end

  assign hit = from_large | base_hit;

  always @* begin
    whole = {12'h0, large_address | base_address} << 12;
    if (hit) begin
      whole = whole | {52'h0, iova[11:0]};
    end
  end

  always @* begin
    r_valid_d = valid;
    r_slot_d = slot;
    r_epoch_d = epoch;
    r_hit_d = hit;
    r_address_d = whole;
    r_untranslated_d = base_untranslated | (from_large & word_read[50]);
    r_no_snoop_d = base_no_snoop | (from_large & word_read[51]);
    r_odd_d = base_odd & valid;
    if (~valid) begin
      r_slot_d = 5'h0;
      r_epoch_d = 4'h0;
    end
    // e4: statistics.
    o_hit_base_d = r_hit_q & (~r_large_q);
    o_hit_large_d = r_hit_q & r_large_q;
    o_miss_d = r_valid_q & (~r_hit_q);
    o_miss_permission_d = ((r_valid_q & (~r_hit_q)) & (~r_pending_q)) & r_named_q;
    o_miss_pending_d = r_valid_q & r_pending_q;
    o_parity_d = r_odd_q;
    if (reset) begin
      r_valid_d = 1'b0;
      r_slot_d = 5'h0;
      r_hit_d = 1'b0;
      r_address_d = 64'h0;
      r_untranslated_d = 1'b0;
      r_no_snoop_d = 1'b0;
      r_epoch_d = 4'h0;
      r_odd_d = 1'b0;
      o_hit_base_d = 1'b0;
      o_hit_large_d = 1'b0;
      o_miss_d = 1'b0;
      o_miss_permission_d = 1'b0;
      o_miss_pending_d = 1'b0;
      o_parity_d = 1'b0;
    end
  end

  assign r_large_d = from_large;
  assign r_named_d = large_named | base_named;
  assign r_pending_d = pending;
  assign result_valid = r_valid_q;
  assign result_slot = r_slot_q;
  assign result_hit = r_hit_q;
  assign result_address = r_address_q;
  assign result_untranslated = r_untranslated_q;
  assign result_no_snoop = r_no_snoop_q;
  assign result_epoch = r_epoch_q;
  assign stat_hit_base = o_hit_base_q;
  assign stat_hit_large = o_hit_large_q;
  assign stat_miss = o_miss_q;
  assign stat_miss_permission = o_miss_permission_q;
  assign stat_miss_pending = o_miss_pending_q;
  assign stat_parity = o_parity_q;

  always @(posedge clock) begin
    r_valid_q <= r_valid_d;
    r_slot_q <= r_slot_d;
    r_hit_q <= r_hit_d;
    r_address_q <= r_address_d;
    r_untranslated_q <= r_untranslated_d;
    r_no_snoop_q <= r_no_snoop_d;
    r_epoch_q <= r_epoch_d;
    r_large_q <= r_large_d;
    r_named_q <= r_named_d;
    r_pending_q <= r_pending_d;
    r_odd_q <= r_odd_d;
    o_hit_base_q <= o_hit_base_d;
    o_hit_large_q <= o_hit_large_d;
    o_miss_q <= o_miss_d;
    o_miss_permission_q <= o_miss_permission_d;
    o_miss_pending_q <= o_miss_pending_d;
    o_parity_q <= o_parity_d;
  end
endmodule

`default_nettype wire
