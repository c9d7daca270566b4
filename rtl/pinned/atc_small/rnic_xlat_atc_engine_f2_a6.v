// rnic_xlat_atc_engine_f2_a6: clears, fills and invalidations of the ATC, one at a time
//
// rnic-xlat 0.1.0, configuration small
// Parameters: F = 2, A = 6
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_atc_engine_f2_a6 (
  input  wire        clock,
  input  wire        reset,

  // Fill stream
  input  wire        fill_valid,
  input  wire [1:0]  fill_function,
  input  wire        fill_pasid_valid,
  input  wire [19:0] fill_pasid,
  input  wire        fill_privileged,
  input  wire [51:0] fill_granule,
  input  wire [51:0] fill_address,
  input  wire [5:0]  fill_size,
  input  wire        fill_read,
  input  wire        fill_write,
  input  wire        fill_exec,
  input  wire        fill_global,
  input  wire        fill_untranslated,
  input  wire        fill_no_snoop,
  input  wire        fill_flip,
  output wire        fill_ready,
  output wire        fill_done,
  output wire        stat_fill,
  output wire        stat_evict,

  // Invalidation stream
  input  wire        invalidate_valid,
  input  wire [1:0]  invalidate_function,
  input  wire        invalidate_pasid_valid,
  input  wire [19:0] invalidate_pasid,
  input  wire        invalidate_global,
  input  wire        invalidate_all,
  input  wire [51:0] invalidate_granule,
  input  wire [5:0]  invalidate_size,
  output wire        invalidate_ready,
  output wire        invalidate_done,

  // To the lookups: epoch, and the invalidation that is pending
  output wire [3:0]  epoch,
  output wire        cleared,
  output wire        pending_valid,
  output wire [1:0]  pending_function,
  output wire        pending_pasid_valid,
  output wire [19:0] pending_pasid,
  output wire        pending_any_pasid,
  output wire        pending_all,
  output wire [51:0] pending_granule,
  output wire [51:0] pending_compare,

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
  output wire [87:0] write_tag,
  output reg  [54:0] write_data,

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
  output reg         large_write,
  output wire        large_low,
  output wire        large_huge,
  output wire        large_read,
  output wire        large_write_right,
  output wire        large_exec,
  output reg  [51:0] large_data
);

  // Constants
  localparam [63:0] ones = 64'hffffffffffffffff;
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
  wire        fill_take;
  wire        invalidate_take;
  wire [63:0] fill_mask;
  wire [63:0] invalidate_mask;
  wire        fill_stays;
  wire        pending_stays;
  reg         now_cleared;
  wire        everywhere;
  reg         start_fill;
  reg         start_sweep;
  reg         clearing;
  reg         choosing;
  reg  [3:0]  chosen;
  reg  [3:0]  ways;
  reg  [51:0] mixed;
  reg  [87:0] tag;
  reg         end_fill;
  reg         end_sweep;

  // Registers
  reg  [2:0]  state_q = 3'h0;
  reg  [2:0]  state_d;
  reg  [3:0]  step_q = 4'h0;
  reg  [3:0]  step_d;
  reg         is_cleared_q = 1'b0;
  reg         is_cleared_d;
  reg         f_valid_q = 1'b0;
  reg         f_valid_d;
  reg  [1:0]  f_function_q = 2'h0;
  reg  [1:0]  f_function_d;
  reg         f_pasid_valid_q = 1'b0;
  reg         f_pasid_valid_d;
  reg  [19:0] f_pasid_q = 20'h0;
  reg  [19:0] f_pasid_d;
  reg         f_privileged_q = 1'b0;
  reg         f_privileged_d;
  reg         f_global_q = 1'b0;
  reg         f_global_d;
  reg  [51:0] f_granule_q = 52'h0;
  reg  [51:0] f_granule_d;
  reg  [51:0] f_address_q = 52'h0;
  reg  [51:0] f_address_d;
  reg  [51:0] f_keep_q = 52'h0;
  reg  [51:0] f_keep_d;
  reg         f_usable_q = 1'b0;
  reg         f_usable_d;
  reg         f_large_q = 1'b0;
  reg         f_large_d;
  reg         f_low_q = 1'b0;
  reg         f_low_d;
  reg         f_huge_q = 1'b0;
  reg         f_huge_d;
  reg         f_read_q = 1'b0;
  reg         f_read_d;
  reg         f_write_q = 1'b0;
  reg         f_write_d;
  reg         f_exec_q = 1'b0;
  reg         f_exec_d;
  reg         f_untranslated_q = 1'b0;
  reg         f_untranslated_d;
  reg         f_no_snoop_q = 1'b0;
  reg         f_no_snoop_d;
  reg         f_flip_q = 1'b0;
  reg         f_flip_d;
  reg         p_valid_q = 1'b0;
  reg         p_valid_d;
  reg  [1:0]  p_function_q = 2'h0;
  reg  [1:0]  p_function_d;
  reg         p_pasid_valid_q = 1'b0;
  reg         p_pasid_valid_d;
  reg  [19:0] p_pasid_q = 20'h0;
  reg  [19:0] p_pasid_d;
  reg         p_global_q = 1'b0;
  reg         p_global_d;
  reg         p_any_pasid_q = 1'b0;
  reg         p_any_pasid_d;
  reg         p_all_q = 1'b0;
  reg         p_all_d;
  reg  [51:0] p_granule_q = 52'h0;
  reg  [51:0] p_granule_d;
  reg  [51:0] p_compare_q = 52'h0;
  reg  [51:0] p_compare_d;
  reg  [3:0]  epochs_q = 4'h0;
  reg  [3:0]  epochs_d;
  reg         pasid_used_q = 1'b0;
  reg         pasid_used_d;
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
  reg  [51:0] address_q = 52'h0;
  wire [51:0] address_d;
  reg         even_granule_q = 1'b0;
  wire        even_granule_d;
  reg         even_rest_q = 1'b0;
  wire        even_rest_d;
  reg         even_data_q = 1'b0;
  wire        even_data_d;
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
  reg         o_fill_ready_q = 1'b0;
  reg         o_fill_ready_d;
  reg         o_fill_done_q = 1'b0;
  reg         o_fill_done_d;
  reg         o_stat_fill_q = 1'b0;
  reg         o_stat_fill_d;
  reg         o_stat_evict_q = 1'b0;
  reg         o_stat_evict_d;
  reg         o_invalidate_ready_q = 1'b0;
  reg         o_invalidate_ready_d;
  reg         o_invalidate_done_q = 1'b0;
  reg         o_invalidate_done_d;

  always @* begin
    state_d = state_q;
    f_function_d = f_function_q;
    f_pasid_valid_d = f_pasid_valid_q;
    f_pasid_d = f_pasid_q;
    f_privileged_d = f_privileged_q;
    f_global_d = f_global_q;
    f_granule_d = f_granule_q;
    f_address_d = f_address_q;
    f_keep_d = f_keep_q;
    f_usable_d = f_usable_q;
    f_large_d = f_large_q;
    f_low_d = f_low_q;
    f_huge_d = f_huge_q;
    f_read_d = f_read_q;
    f_write_d = f_write_q;
    f_exec_d = f_exec_q;
    f_untranslated_d = f_untranslated_q;
    f_no_snoop_d = f_no_snoop_q;
    f_flip_d = f_flip_q;
    p_function_d = p_function_q;
    p_pasid_valid_d = p_pasid_valid_q;
    p_pasid_d = p_pasid_q;
    p_global_d = p_global_q;
    p_any_pasid_d = p_any_pasid_q;
    p_all_d = p_all_q;
    p_granule_d = p_granule_q;
    p_compare_d = p_compare_q;
    epochs_d = epochs_q;
    pasid_used_d = pasid_used_q;
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
    wrapped_d = wrapped_q;
    large_written_d = large_written_q;
    if (fill_take) begin
      f_function_d = fill_function;
      f_pasid_valid_d = fill_pasid_valid;
      f_pasid_d = fill_pasid;
      if (~fill_pasid_valid) begin
        f_pasid_d = 20'h0;
      end
      f_privileged_d = fill_privileged & fill_pasid_valid;
      f_global_d = fill_global & fill_pasid_valid;
      f_granule_d = fill_granule;
      f_address_d = fill_address;
      f_keep_d = fill_mask[63:12];
      f_usable_d = (fill_read | fill_write) & (fill_size >= 6'hc);
      f_large_d = fill_size >= 6'h10;
      f_low_d = fill_size < 6'h15;
      f_huge_d = fill_size >= 6'h1e;
      f_read_d = fill_read;
      f_write_d = fill_write;
      f_exec_d = fill_exec;
      f_untranslated_d = fill_untranslated;
      f_no_snoop_d = fill_no_snoop;
      f_flip_d = fill_flip;
      pasid_used_d = pasid_used_q | fill_pasid_valid;
    end
    if (invalidate_take) begin
      p_function_d = invalidate_function;
      p_pasid_valid_d = invalidate_pasid_valid;
      p_pasid_d = invalidate_pasid;
      p_global_d = invalidate_global;
      p_any_pasid_d = invalidate_global | (~invalidate_pasid_valid);
      p_all_d = invalidate_all;
      p_granule_d = invalidate_granule;
      p_compare_d = invalidate_mask[63:12];
      if (invalidate_size == 6'h3f) begin
        p_compare_d = 52'h0;
      end
      epochs_d = epochs_q + 4'h1;
    end
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
        if (f_valid_q) begin
          start_fill = 1'b1;
          if (~f_usable_q) begin
            end_fill = 1'b1;
          end else if (f_large_q) begin
            state_d = ATC_STATE_LARGE;
          end else begin
            state_d = ATC_STATE_BASE;
          end
        end else if (p_valid_q) begin
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
    f_valid_d = fill_stays;
    p_valid_d = pending_stays;
    is_cleared_d = now_cleared;
    o_fill_done_d = end_fill;
    o_invalidate_done_d = end_sweep;
    o_fill_ready_d = (now_cleared & (~fill_stays)) & (~pending_stays);
    o_invalidate_ready_d = now_cleared & (~pending_stays);
    if (start_fill) begin
      k_function_d = f_function_q;
      k_pasid_valid_d = f_pasid_valid_q;
      k_pasid_d = f_pasid_q;
      k_privileged_d = f_privileged_q;
      k_global_d = f_global_q;
      k_any_pasid_d = f_global_q | (~f_pasid_valid_q);
      k_all_d = 1'b0;
      k_granule_d = f_granule_q;
      k_compare_d = compare_all;
      if (~f_low_q) begin
        k_compare_d = compare_2m;
      end
      if (f_huge_q) begin
        k_compare_d = compare_1g;
      end
      sets_0_d = f_granule_q[5:0];
    end
    if (start_sweep) begin
      k_function_d = p_function_q;
      k_pasid_valid_d = p_pasid_valid_q;
      k_pasid_d = p_pasid_q;
      k_privileged_d = 1'b0;
      k_global_d = p_global_q;
      k_any_pasid_d = p_any_pasid_q;
      k_all_d = p_all_q;
      k_granule_d = p_granule_q;
      k_compare_d = p_compare_q;
      walk_compare_d = p_compare_q[5:0];
      sets_0_d = p_granule_q[5:0] & p_compare_q[5:0];
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
      f_valid_d = 1'b0;
      p_valid_d = 1'b0;
      epochs_d = 4'h0;
      pasid_used_d = 1'b0;
      large_written_d = 1'b0;
      w_ways_d = 4'h0;
      g_write_d = 1'b0;
      o_fill_ready_d = 1'b0;
      o_fill_done_d = 1'b0;
      o_stat_fill_d = 1'b0;
      o_stat_evict_d = 1'b0;
      o_invalidate_ready_d = 1'b0;
      o_invalidate_done_d = 1'b0;
    end
  end

  // Buffers. Sizes become masks as they are taken.
  assign fill_take = fill_valid & o_fill_ready_q;
  assign fill_mask = ones << {58'h0, fill_size};
  assign invalidate_take = invalidate_valid & o_invalidate_ready_q;
  assign invalidate_mask = ones << {58'h0, invalidate_size};
  assign large_filling = state_q == ATC_STATE_LARGE;
  assign fill_stays = fill_take | (f_valid_q & (~end_fill));
  assign pending_stays = invalidate_take | (p_valid_q & (~end_sweep));
  // Key: a fill compares the page of its class, an invalidation its range.
  assign everywhere = p_all_q | ((~p_pasid_valid_q) & pasid_used_q);
  assign k_generation_d = generation_read;

  always @* begin
    // Entry: the part of the translation around the IOVA, and parity a cycle behind.
    mixed = (f_address_q & f_keep_q) | (f_granule_q & (~f_keep_q));
    if (f_untranslated_q) begin
      mixed = f_granule_q;
    end
  end

  assign address_d = mixed & k_compare_q;
  assign even_granule_d = (^k_granule_q) ^ f_flip_q;
  assign even_rest_d = ((((((((((^k_function_q) ^ (^k_pasid_q)) ^ k_pasid_valid_q) ^ k_privileged_q) ^ k_global_q) ^ k_any_pasid_q) ^ (^k_generation_q)) ^ f_read_q) ^ f_write_q) ^ f_exec_q) ^ 1'b1;
  assign even_data_d = ((^address_q) ^ f_untranslated_q) ^ f_no_snoop_q;

  always @* begin
    tag = (({36'h0, k_granule_q} | ({68'h0, k_pasid_q} << 52)) | ({84'h0, k_generation_q} << 76)) | ({86'h0, k_function_q} << 86);
    tag = (tag & (~(88'h1 << 72))) | ({87'h0, k_pasid_valid_q} << 72);
    tag = (tag & (~(88'h1 << 73))) | ({87'h0, k_privileged_q} << 73);
    tag = (tag & (~(88'h1 << 74))) | ({87'h0, k_global_q} << 74);
    tag = (tag & (~(88'h1 << 75))) | ({87'h0, k_any_pasid_q} << 75);
    tag = (tag & (~(88'h1 << 80))) | ({87'h0, f_read_q} << 80);
    tag = (tag & (~(88'h1 << 81))) | ({87'h0, f_write_q} << 81);
    tag = (tag & (~(88'h1 << 82))) | ({87'h0, f_exec_q} << 82);
    tag = tag | (88'h1 << 83);
    tag = (tag & (~(88'h1 << 84))) | ({87'h0, even_granule_q} << 84);
    tag = (tag & (~(88'h1 << 85))) | ({87'h0, even_rest_q} << 85);
  end

  assign write_tag = tag;

  always @* begin
    write_data = {3'h0, address_q};
    write_data = (write_data & (~(55'h1 << 52))) | ({54'h0, f_untranslated_q} << 52);
    write_data = (write_data & (~(55'h1 << 53))) | ({54'h0, f_no_snoop_q} << 53);
    write_data = (write_data & (~(55'h1 << 54))) | ({54'h0, even_data_q} << 54);
  end

  always @* begin
    large_data = {4'h0, address_q[51:4]};
    large_data = (large_data & (~(52'h1 << 48))) | ({51'h0, ~f_low_q} << 48);
    large_data = (large_data & (~(52'h1 << 49))) | ({51'h0, f_huge_q} << 49);
    large_data = (large_data & (~(52'h1 << 50))) | ({51'h0, f_untranslated_q} << 50);
    large_data = (large_data & (~(52'h1 << 51))) | ({51'h0, f_no_snoop_q} << 51);
  end

  always @* begin
    // Write port of the base-granule array: first rival, else first free way, else the least recently used.
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
  assign fill_ready = o_fill_ready_q;
  assign fill_done = o_fill_done_q;
  assign stat_fill = o_stat_fill_q;
  assign stat_evict = o_stat_evict_q;
  assign invalidate_ready = o_invalidate_ready_q;
  assign invalidate_done = o_invalidate_done_q;
  assign epoch = epochs_q;
  assign cleared = is_cleared_q;
  assign pending_valid = p_valid_q;
  assign pending_function = p_function_q;
  assign pending_pasid_valid = p_pasid_valid_q;
  assign pending_pasid = p_pasid_q;
  assign pending_any_pasid = p_any_pasid_q;
  assign pending_all = p_all_q;
  assign pending_granule = p_granule_q;
  assign pending_compare = p_compare_q;
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
  assign large_low = f_low_q;
  assign large_huge = f_huge_q;
  assign large_read = f_read_q;
  assign large_write_right = f_write_q;
  assign large_exec = f_exec_q;

  always @(posedge clock) begin
    state_q <= state_d;
    step_q <= step_d;
    is_cleared_q <= is_cleared_d;
    f_valid_q <= f_valid_d;
    f_function_q <= f_function_d;
    f_pasid_valid_q <= f_pasid_valid_d;
    f_pasid_q <= f_pasid_d;
    f_privileged_q <= f_privileged_d;
    f_global_q <= f_global_d;
    f_granule_q <= f_granule_d;
    f_address_q <= f_address_d;
    f_keep_q <= f_keep_d;
    f_usable_q <= f_usable_d;
    f_large_q <= f_large_d;
    f_low_q <= f_low_d;
    f_huge_q <= f_huge_d;
    f_read_q <= f_read_d;
    f_write_q <= f_write_d;
    f_exec_q <= f_exec_d;
    f_untranslated_q <= f_untranslated_d;
    f_no_snoop_q <= f_no_snoop_d;
    f_flip_q <= f_flip_d;
    p_valid_q <= p_valid_d;
    p_function_q <= p_function_d;
    p_pasid_valid_q <= p_pasid_valid_d;
    p_pasid_q <= p_pasid_d;
    p_global_q <= p_global_d;
    p_any_pasid_q <= p_any_pasid_d;
    p_all_q <= p_all_d;
    p_granule_q <= p_granule_d;
    p_compare_q <= p_compare_d;
    epochs_q <= epochs_d;
    pasid_used_q <= pasid_used_d;
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
    address_q <= address_d;
    even_granule_q <= even_granule_d;
    even_rest_q <= even_rest_d;
    even_data_q <= even_data_d;
    evicts_q <= evicts_d;
    large_written_q <= large_written_d;
    wrapped_q <= wrapped_d;
    g_write_q <= g_write_d;
    g_function_q <= g_function_d;
    g_value_q <= g_value_d;
    o_fill_ready_q <= o_fill_ready_d;
    o_fill_done_q <= o_fill_done_d;
    o_stat_fill_q <= o_stat_fill_d;
    o_stat_evict_q <= o_stat_evict_d;
    o_invalidate_ready_q <= o_invalidate_ready_d;
    o_invalidate_done_q <= o_invalidate_done_d;
  end
endmodule

`default_nettype wire
