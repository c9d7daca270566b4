// rnic_xlat_atc_engine_f2_a6: clears, fills and invalidations of the ATC, one at a time
//
// rnic-xlat 0.1.0, configuration small
// Parameters: F = 2, A = 6
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_atc_engine_f2_a6 (
  input  wire        clock,
  input  wire        reset,

  // The fill that was taken
  input  wire        held_valid,
  input  wire [1:0]  held_function,
  input  wire        held_pasid_valid,
  input  wire [19:0] held_pasid,
  input  wire        held_privileged,
  input  wire        held_global,
  input  wire [51:0] held_granule,
  input  wire        held_usable,
  input  wire        held_large,
  input  wire        held_low,
  input  wire        held_huge,

  // The invalidation that was taken
  input  wire        pending_valid,
  input  wire [1:0]  pending_function,
  input  wire        pending_pasid_valid,
  input  wire [19:0] pending_pasid,
  input  wire        pending_global,
  input  wire        pending_any_pasid,
  input  wire        pending_all,
  input  wire [51:0] pending_granule,
  input  wire [51:0] pending_compare,
  input  wire        pasid_used,

  // Progress
  output reg         end_fill,
  output reg         end_sweep,
  output reg         now_cleared,
  output wire        fill_done,
  output wire        stat_fill,
  output wire        stat_evict,
  output wire        invalidate_done,
  output wire        cleared,

  // To the arrays: the fill or the invalidation at work
  output wire [51:0] key_granule,
  output wire [51:0] key_compare,
  output wire [1:0]  key_function,
  output wire [3:0]  key_generation,
  output wire [19:0] key_pasid,
  output wire        key_pasid_valid,
  output wire        key_privileged,
  output wire        key_global,
  output wire        key_any_pasid,
  output wire        key_all,

  // Base-granule array
  output wire [5:0]  set,
  input  wire [3:0]  rivals,
  input  wire [3:0]  frees,
  input  wire [3:0]  drops,
  input  wire [5:0]  order,
  output wire [3:0]  write_ways,
  output wire [5:0]  write_set,
  output wire [3:0]  write_valid,

  // Order of use
  output wire        order_clear,
  output reg         order_touch,

  // Generations
  input  wire [3:0]  generation_read,
  output wire        generation_write,
  output wire [1:0]  generation_function,
  output wire [3:0]  generation_value,

  // Large-page array
  output reg         large_walk,
  output wire        large_filling,
  input  wire        large_walking,
  output reg         large_pick,
  input  wire        large_evicts,
  output reg         large_write
);

  // Constants
  localparam [51:0] compare_all = 52'hfffffffffffff;
  localparam [51:0] compare_2m = 52'hffffffffffe00;
  localparam [51:0] compare_1g = 52'hffffffffc0000;
  localparam [3:0]  sweep_end = 4'h9;
  localparam [3:0]  large_end = 4'h4;
  localparam [2:0]  ATC_STATE_CLEAR = 3'd0;
  localparam [2:0]  ATC_STATE_SETTLE = 3'd1;
  localparam [2:0]  ATC_STATE_IDLE = 3'd2;
  localparam [2:0]  ATC_STATE_BASE = 3'd3;
  localparam [2:0]  ATC_STATE_LARGE = 3'd4;
  localparam [2:0]  ATC_STATE_SWEEP = 3'd5;

  // Signals
  wire       everywhere;
  reg        start_fill;
  reg        start_sweep;
  reg        clearing;
  reg        choosing;
  reg  [3:0] chosen;
  reg  [3:0] ways;

  // Registers
  reg  [2:0]  state_q = 3'h0;
  reg  [2:0]  state_d;
  reg  [3:0]  step_q = 4'h0;
  reg  [3:0]  step_d;
  reg         is_cleared_q = 1'b0;
  reg         is_cleared_d;
  reg  [1:0]  k_function_q = 2'h0;
  reg  [1:0]  k_function_d;
  reg         k_pasid_valid_q = 1'b0;
  reg         k_pasid_valid_d;
  reg  [19:0] k_pasid_q = 20'h0;
  reg  [19:0] k_pasid_d;
  reg         k_privileged_q = 1'b0;
  reg         k_privileged_d;
  reg         k_global_q = 1'b0;
  reg         k_global_d;
  reg         k_any_pasid_q = 1'b0;
  reg         k_any_pasid_d;
  reg         k_all_q = 1'b0;
  reg         k_all_d;
  reg  [51:0] k_granule_q = 52'h0;
  reg  [51:0] k_granule_d;
  reg  [51:0] k_compare_q = 52'h0;
  reg  [51:0] k_compare_d;
  reg  [3:0]  k_generation_q = 4'h0;
  wire [3:0]  k_generation_d;
  reg  [5:0]  sets_0_q = 6'h0;
  reg  [5:0]  sets_0_d;
  reg  [5:0]  sets_1_q = 6'h0;
  wire [5:0]  sets_1_d;
  reg  [5:0]  sets_2_q = 6'h0;
  wire [5:0]  sets_2_d;
  reg  [5:0]  sets_3_q = 6'h0;
  wire [5:0]  sets_3_d;
  reg  [5:0]  sets_4_q = 6'h0;
  wire [5:0]  sets_4_d;
  reg         walks_0_q = 1'b0;
  reg         walks_0_d;
  reg         walks_1_q = 1'b0;
  wire        walks_1_d;
  reg         walks_2_q = 1'b0;
  wire        walks_2_d;
  reg         walks_3_q = 1'b0;
  wire        walks_3_d;
  reg         walks_4_q = 1'b0;
  wire        walks_4_d;
  reg  [5:0]  walk_compare_q = 6'h0;
  reg  [5:0]  walk_compare_d;
  reg  [3:0]  w_ways_q = 4'h0;
  reg  [3:0]  w_ways_d;
  reg  [3:0]  w_valid_q = 4'h0;
  reg  [3:0]  w_valid_d;
  reg  [5:0]  w_set_q = 6'h0;
  reg  [5:0]  w_set_d;
  reg         evicts_q = 1'b0;
  reg         evicts_d;
  reg         large_written_q = 1'b0;
  reg         large_written_d;
  reg         wrapped_q = 1'b0;
  reg         wrapped_d;
  reg         g_write_q = 1'b0;
  reg         g_write_d;
  reg  [1:0]  g_function_q = 2'h0;
  reg  [1:0]  g_function_d;
  reg  [3:0]  g_value_q = 4'h0;
  reg  [3:0]  g_value_d;
  reg         o_fill_done_q = 1'b0;
  reg         o_fill_done_d;
  reg         o_stat_fill_q = 1'b0;
  reg         o_stat_fill_d;
  reg         o_stat_evict_q = 1'b0;
  reg         o_stat_evict_d;
  reg         o_invalidate_done_q = 1'b0;
  reg         o_invalidate_done_d;

  always @* begin
    state_d = state_q;
    k_function_d = k_function_q;
    k_pasid_valid_d = k_pasid_valid_q;
    k_pasid_d = k_pasid_q;
    k_privileged_d = k_privileged_q;
    k_global_d = k_global_q;
    k_any_pasid_d = k_any_pasid_q;
    k_all_d = k_all_q;
    k_granule_d = k_granule_q;
    k_compare_d = k_compare_q;
    walk_compare_d = walk_compare_q;
    evicts_d = evicts_q;
    large_written_d = large_written_q;
    wrapped_d = wrapped_q;
    // Steps.
    step_d = step_q + 4'h1;
    clearing = 1'b0;
    start_fill = 1'b0;
    start_sweep = 1'b0;
    end_fill = 1'b0;
    end_sweep = 1'b0;
    choosing = 1'b0;
    order_touch = 1'b0;
    large_walk = 1'b0;
    large_pick = 1'b0;
    large_write = 1'b0;
    now_cleared = is_cleared_q;
    o_stat_fill_d = 1'b0;
    o_stat_evict_d = 1'b0;
    g_write_d = 1'b0;
    g_function_d = k_function_q;
    g_value_d = k_generation_q + 4'h1;
    sets_0_d = sets_0_q;
    walks_0_d = 1'b0;
    if (walks_0_q) begin
      sets_0_d = sets_0_q + 6'h1;
      walks_0_d = ~(&(sets_0_q | walk_compare_q));
    end
    case (state_q)
      ATC_STATE_CLEAR: begin
        clearing = 1'b1;
        g_write_d = 1'b1;
        g_function_d = sets_0_q[1:0];
        g_value_d = 4'h0;
        sets_0_d = sets_0_q + 6'h1;
        if (&sets_0_q) begin
          state_d = ATC_STATE_SETTLE;
          step_d = 4'h0;
        end
      end
      ATC_STATE_SETTLE: begin
        if (step_q == 4'h1) begin
          state_d = ATC_STATE_IDLE;
          now_cleared = 1'b1;
        end
      end
      ATC_STATE_IDLE: begin
        step_d = 4'h0;
        if (held_valid) begin
          start_fill = 1'b1;
          if (~held_usable) begin
            end_fill = 1'b1;
          end else if (held_large) begin
            state_d = ATC_STATE_LARGE;
          end else begin
            state_d = ATC_STATE_BASE;
          end
        end else if (pending_valid) begin
          start_sweep = 1'b1;
          state_d = ATC_STATE_SWEEP;
        end
      end
      ATC_STATE_BASE: begin
        choosing = step_q == 4'h4;
        if (step_q == 4'h5) begin
          order_touch = 1'b1;
          end_fill = 1'b1;
          o_stat_fill_d = 1'b1;
          o_stat_evict_d = evicts_q;
          state_d = ATC_STATE_IDLE;
        end
      end
      ATC_STATE_LARGE: begin
        large_walk = step_q == 4'h0;
        if (step_q == 4'h1) begin
          large_pick = ~large_walking;
          if (large_walking) begin
            step_d = 4'h1;
          end
        end
        large_write = step_q == large_end;
        large_written_d = large_write;
        if (large_written_q) begin
          large_written_d = 1'b0;
          end_fill = 1'b1;
          o_stat_fill_d = 1'b1;
          o_stat_evict_d = large_evicts;
          state_d = ATC_STATE_IDLE;
        end
      end
      default: begin // ATC_STATE_SWEEP
        if (step_q == 4'h2) begin
          g_write_d = k_all_q;
          wrapped_d = k_generation_q == 4'hf;
        end
        if (step_q == 4'h3) begin
          large_walk = 1'b1;
          walks_0_d = (~k_all_q) | wrapped_q;
        end
        if ((step_q == 4'h4) & (walks_0_q | large_walking)) begin
          step_d = 4'h4;
        end
        if (step_q == sweep_end) begin
          end_sweep = 1'b1;
          state_d = ATC_STATE_IDLE;
        end
      end
    endcase
    is_cleared_d = now_cleared;
    o_fill_done_d = end_fill;
    o_invalidate_done_d = end_sweep;
    if (start_fill) begin
      k_function_d = held_function;
      k_pasid_valid_d = held_pasid_valid;
      k_pasid_d = held_pasid;
      k_privileged_d = held_privileged;
      k_global_d = held_global;
      k_any_pasid_d = held_global | (~held_pasid_valid);
      k_all_d = 1'b0;
      k_granule_d = held_granule;
      k_compare_d = compare_all;
      if (~held_low) begin
        k_compare_d = compare_2m;
      end
      if (held_huge) begin
        k_compare_d = compare_1g;
      end
      sets_0_d = held_granule[5:0];
    end
    if (start_sweep) begin
      k_function_d = pending_function;
      k_pasid_valid_d = pending_pasid_valid;
      k_pasid_d = pending_pasid;
      k_privileged_d = 1'b0;
      k_global_d = pending_global;
      k_any_pasid_d = pending_any_pasid;
      k_all_d = pending_all;
      k_granule_d = pending_granule;
      k_compare_d = pending_compare;
      walk_compare_d = pending_compare[5:0];
      sets_0_d = pending_granule[5:0] & pending_compare[5:0];
      if (everywhere) begin
        walk_compare_d = 6'h0;
        sets_0_d = 6'h0;
      end
    end
    w_set_d = sets_4_q;
    w_ways_d = 4'h0;
    w_valid_d = w_valid_q;
    if (clearing) begin
      w_set_d = sets_0_q;
      w_ways_d = 4'hf;
      w_valid_d = 4'h0;
    end else if (choosing) begin
      w_ways_d = chosen | rivals;
      w_valid_d = chosen;
      evicts_d = ~(|ways);
    end else if (walks_4_q) begin
      w_ways_d = drops;
      w_valid_d = 4'h0;
    end
    if (reset) begin
      state_d = ATC_STATE_CLEAR;
      sets_0_d = 6'h0;
      walks_0_d = 1'b0;
      is_cleared_d = 1'b0;
      large_written_d = 1'b0;
      w_ways_d = 4'h0;
      g_write_d = 1'b0;
      o_fill_done_d = 1'b0;
      o_stat_fill_d = 1'b0;
      o_stat_evict_d = 1'b0;
      o_invalidate_done_d = 1'b0;
    end
  end

  assign large_filling = state_q == ATC_STATE_LARGE;
  // Key: a fill compares the page of its class, an invalidation its range.
  assign everywhere = pending_all | ((~pending_pasid_valid) & pasid_used);
  assign k_generation_d = generation_read;

  always @* begin
    // Write port of the base-granule array: first rival, else first free way, else the oldest.
    ways = frees;
    if (|rivals) begin
      ways = rivals;
    end
  end

  always @* begin
    if (ways[0]) begin
      chosen = 4'h1;
    end else if (ways[1]) begin
      chosen = 4'h2;
    end else if (ways[2]) begin
      chosen = 4'h4;
    end else if (ways[3]) begin
      chosen = 4'h8;
    end else if (~(|order[2:0])) begin
      chosen = 4'h1;
    end else if (order[0] & (~(|order[4:3]))) begin
      chosen = 4'h2;
    end else if ((order[1] & order[3]) & (~order[5])) begin
      chosen = 4'h4;
    end else begin
      chosen = 4'h8;
    end
  end

  assign sets_1_d = sets_0_q;
  assign walks_1_d = walks_0_q & (~reset);
  assign sets_2_d = sets_1_q;
  assign walks_2_d = walks_1_q & (~reset);
  assign sets_3_d = sets_2_q;
  assign walks_3_d = walks_2_q & (~reset);
  assign sets_4_d = sets_3_q;
  assign walks_4_d = walks_3_q & (~reset);
  assign fill_done = o_fill_done_q;
  assign stat_fill = o_stat_fill_q;
  assign stat_evict = o_stat_evict_q;
  assign invalidate_done = o_invalidate_done_q;
  assign cleared = is_cleared_q;
  assign key_granule = k_granule_q;
  assign key_compare = k_compare_q;
  assign key_function = k_function_q;
  assign key_generation = k_generation_q;
  assign key_pasid = k_pasid_q;
  assign key_pasid_valid = k_pasid_valid_q;
  assign key_privileged = k_privileged_q;
  assign key_global = k_global_q;
  assign key_any_pasid = k_any_pasid_q;
  assign key_all = k_all_q;
  assign set = sets_0_q;
  assign write_ways = w_ways_q;
  assign write_set = w_set_q;
  assign write_valid = w_valid_q;
  assign order_clear = clearing;
  assign generation_write = g_write_q;
  assign generation_function = g_function_q;
  assign generation_value = g_value_q;

  always @(posedge clock) begin
    state_q <= state_d;
    step_q <= step_d;
    is_cleared_q <= is_cleared_d;
    k_function_q <= k_function_d;
    k_pasid_valid_q <= k_pasid_valid_d;
    k_pasid_q <= k_pasid_d;
    k_privileged_q <= k_privileged_d;
    k_global_q <= k_global_d;
    k_any_pasid_q <= k_any_pasid_d;
    k_all_q <= k_all_d;
    k_granule_q <= k_granule_d;
    k_compare_q <= k_compare_d;
    k_generation_q <= k_generation_d;
    sets_0_q <= sets_0_d;
    sets_1_q <= sets_1_d;
    sets_2_q <= sets_2_d;
    sets_3_q <= sets_3_d;
    sets_4_q <= sets_4_d;
    walks_0_q <= walks_0_d;
    walks_1_q <= walks_1_d;
    walks_2_q <= walks_2_d;
    walks_3_q <= walks_3_d;
    walks_4_q <= walks_4_d;
    walk_compare_q <= walk_compare_d;
    w_ways_q <= w_ways_d;
    w_valid_q <= w_valid_d;
    w_set_q <= w_set_d;
    evicts_q <= evicts_d;
    large_written_q <= large_written_d;
    wrapped_q <= wrapped_d;
    g_write_q <= g_write_d;
    g_function_q <= g_function_d;
    g_value_q <= g_value_d;
    o_fill_done_q <= o_fill_done_d;
    o_stat_fill_q <= o_stat_fill_d;
    o_stat_evict_q <= o_stat_evict_d;
    o_invalidate_done_q <= o_invalidate_done_d;
  end
endmodule

`default_nettype wire
