// rnic_xlat_atc_small: Address Translation Cache of an RDMA NIC
//
// rnic-xlat 0.1.0, configuration small
// Parameters: F = 2, S = 5, A = 6, W = 4, N = 16
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_atc_small (
  input  wire        clock,

  // Synchronous, active high
  input  wire        reset,

  // Lookups, one a cycle, never stalled
  input  wire        lookup_valid,
  input  wire [4:0]  lookup_slot,
  input  wire [1:0]  lookup_key_function,
  input  wire        lookup_key_pasid_valid,
  input  wire [19:0] lookup_key_pasid_value,
  input  wire        lookup_key_pasid_exec,
  input  wire        lookup_key_pasid_priv,
  input  wire [63:0] lookup_key_iova,
  input  wire        lookup_read,
  input  wire        lookup_write,

  // Fills
  input  wire        fill_valid,
  input  wire [1:0]  fill_key_function,
  input  wire        fill_key_pasid_valid,
  input  wire [19:0] fill_key_pasid_value,
  input  wire        fill_key_pasid_exec,
  input  wire        fill_key_pasid_priv,
  input  wire [63:0] fill_key_iova,
  input  wire [63:0] fill_address,
  input  wire [5:0]  fill_size_log2,
  input  wire        fill_read,
  input  wire        fill_write,
  input  wire        fill_exec,
  input  wire        fill_global,
  input  wire        fill_untranslated,
  input  wire        fill_no_snoop,

  // Invalidations
  input  wire        invalidate_valid,
  input  wire [1:0]  invalidate_function,
  input  wire        invalidate_pasid_valid,
  input  wire [19:0] invalidate_pasid_value,
  input  wire        invalidate_pasid_exec,
  input  wire        invalidate_pasid_priv,
  input  wire        invalidate_global,
  input  wire        invalidate_all,
  input  wire [63:0] invalidate_iova,
  input  wire [5:0]  invalidate_size_log2,

  // Test hook: flips a parity bit of the entry written by the fill taken
  input  wire        inject_parity,

  // Results in order, four edges after the lookup
  output wire        result_valid,
  output wire [4:0]  result_slot,
  output wire        result_hit,
  output wire [63:0] result_address,
  output wire        result_untranslated,
  output wire        result_no_snoop,
  output wire [3:0]  result_epoch,

  // Fills and invalidations
  output wire        fill_ready,
  output wire        fill_done,
  output wire        invalidate_ready,
  output wire        invalidate_done,

  // Statistics: increments, one cycle each
  output wire        stat_hit_base,
  output wire        stat_hit_large,
  output wire        stat_miss,
  output wire        stat_miss_permission,
  output wire        stat_miss_pending,
  output wire        stat_parity,
  output wire        stat_fill,
  output wire        stat_evict,
  output wire        stat_invalidate
);

  // Signals
  wire [5:0]  set;
  wire        base_reset;
  wire [5:0]  base_lookup_set;
  wire [51:0] base_asked_granule;
  wire [1:0]  base_asked_function;
  wire [3:0]  base_asked_generation;
  wire [19:0] base_asked_pasid;
  wire        base_asked_pasid_valid;
  wire        base_asked_privileged;
  wire        base_asked_read;
  wire        base_asked_write;
  wire        base_asked_exec;
  wire        base_asked_elsewhere;
  wire        base_live;
  wire [5:0]  base_live_set;
  wire        base_hit;
  wire        base_named;
  wire        base_odd;
  wire [51:0] base_address;
  wire        base_untranslated;
  wire        base_no_snoop;
  wire [5:0]  base_engine_set;
  wire [51:0] base_key_granule;
  wire [51:0] base_key_compare;
  wire [1:0]  base_key_function;
  wire [3:0]  base_key_generation;
  wire [19:0] base_key_pasid;
  wire        base_key_pasid_valid;
  wire        base_key_privileged;
  wire        base_key_global;
  wire        base_key_any_pasid;
  wire        base_key_all;
  wire [3:0]  base_rivals;
  wire [3:0]  base_frees;
  wire [3:0]  base_drops;
  wire [5:0]  base_order;
  wire [3:0]  base_write_ways;
  wire [5:0]  base_write_set;
  wire [3:0]  base_write_valid;
  wire [87:0] base_write_tag;
  wire [54:0] base_write_data;
  wire        base_order_clear;
  wire        base_order_touch;
  wire        answer_reset;
  wire        answer_valid;
  wire        answer_live;
  wire        answer_pending;
  wire [4:0]  answer_slot;
  wire [3:0]  answer_epoch;
  wire [29:0] answer_iova;
  wire        answer_base_hit;
  wire        answer_base_named;
  wire        answer_base_odd;
  wire [51:0] answer_base_address;
  wire        answer_base_untranslated;
  wire        answer_base_no_snoop;
  wire        answer_large_hit;
  wire        answer_large_named;
  wire [51:0] answer_large_data;
  wire        answer_result_valid;
  wire [4:0]  answer_result_slot;
  wire        answer_result_hit;
  wire [63:0] answer_result_address;
  wire        answer_result_untranslated;
  wire        answer_result_no_snoop;
  wire [3:0]  answer_result_epoch;
  wire        answer_stat_hit_base;
  wire        answer_stat_hit_large;
  wire        answer_stat_miss;
  wire        answer_stat_miss_permission;
  wire        answer_stat_miss_pending;
  wire        answer_stat_parity;
  wire [1:0]  pending_asked_function;
  wire [19:0] pending_asked_pasid;
  wire        pending_asked_pasid_valid;
  wire [51:0] pending_asked_granule;
  wire        pending_clearing;
  wire        pending_pending_valid;
  wire [1:0]  pending_pending_function;
  wire        pending_pending_pasid_valid;
  wire [19:0] pending_pending_pasid;
  wire        pending_pending_any_pasid;
  wire        pending_pending_all;
  wire [51:0] pending_pending_granule;
  wire [51:0] pending_pending_compare;
  wire        pending_held_off;
  wire        requests_reset;
  wire        requests_fill_valid;
  wire [1:0]  requests_fill_function;
  wire        requests_fill_pasid_valid;
  wire [19:0] requests_fill_pasid;
  wire        requests_fill_privileged;
  wire [51:0] requests_fill_granule;
  wire [51:0] requests_fill_address;
  wire [5:0]  requests_fill_size;
  wire        requests_fill_read;
  wire        requests_fill_write;
  wire        requests_fill_exec;
  wire        requests_fill_global;
  wire        requests_fill_untranslated;
  wire        requests_fill_no_snoop;
  wire        requests_fill_flip;
  wire        requests_fill_ready;
  wire        requests_invalidate_valid;
  wire [1:0]  requests_invalidate_function;
  wire        requests_invalidate_pasid_valid;
  wire [19:0] requests_invalidate_pasid;
  wire        requests_invalidate_global;
  wire        requests_invalidate_all;
  wire [51:0] requests_invalidate_granule;
  wire [5:0]  requests_invalidate_size;
  wire        requests_invalidate_ready;
  wire        requests_cleared;
  wire        requests_end_fill;
  wire        requests_end_sweep;
  wire        requests_held_valid;
  wire [1:0]  requests_held_function;
  wire        requests_held_pasid_valid;
  wire [19:0] requests_held_pasid;
  wire        requests_held_privileged;
  wire        requests_held_global;
  wire [51:0] requests_held_granule;
  wire [51:0] requests_held_address;
  wire [51:0] requests_held_keep;
  wire        requests_held_usable;
  wire        requests_held_large;
  wire        requests_held_low;
  wire        requests_held_huge;
  wire        requests_held_read;
  wire        requests_held_write;
  wire        requests_held_exec;
  wire        requests_held_untranslated;
  wire        requests_held_no_snoop;
  wire        requests_held_flip;
  wire        requests_pending_valid;
  wire [1:0]  requests_pending_function;
  wire        requests_pending_pasid_valid;
  wire [19:0] requests_pending_pasid;
  wire        requests_pending_global;
  wire        requests_pending_any_pasid;
  wire        requests_pending_all;
  wire [51:0] requests_pending_granule;
  wire [51:0] requests_pending_compare;
  wire [3:0]  requests_epoch;
  wire        requests_pasid_used;
  wire [51:0] entry_key_granule;
  wire [51:0] entry_key_compare;
  wire [1:0]  entry_key_function;
  wire [3:0]  entry_key_generation;
  wire [19:0] entry_key_pasid;
  wire        entry_key_pasid_valid;
  wire        entry_key_privileged;
  wire        entry_key_global;
  wire        entry_key_any_pasid;
  wire [51:0] entry_fill_address;
  wire [51:0] entry_fill_keep;
  wire        entry_fill_low;
  wire        entry_fill_huge;
  wire        entry_fill_read;
  wire        entry_fill_write;
  wire        entry_fill_exec;
  wire        entry_fill_untranslated;
  wire        entry_fill_no_snoop;
  wire        entry_fill_flip;
  wire [87:0] entry_tag;
  wire [54:0] entry_data;
  wire [51:0] entry_large_data;
  wire        generation_wr_en;
  wire [1:0]  generation_wr_addr;
  wire [3:0]  generation_wr_data;
  wire        generation_rd0_en;
  wire [1:0]  generation_rd0_addr;
  wire [3:0]  generation_rd0_data;
  wire        generation_rd1_en;
  wire [1:0]  generation_rd1_addr;
  wire [3:0]  generation_rd1_data;
  wire        big_reset;
  wire [47:0] big_lookup_iova;
  wire [1:0]  big_lookup_function;
  wire [19:0] big_lookup_pasid;
  wire        big_lookup_pasid_valid;
  wire        big_lookup_privileged;
  wire        big_lookup_read;
  wire        big_lookup_write;
  wire        big_lookup_exec;
  wire        big_early_hit;
  wire        big_hit;
  wire        big_named;
  wire [51:0] big_data;
  wire        big_walk;
  wire        big_filling;
  wire        big_walking;
  wire        big_pick;
  wire        big_evicts;
  wire        big_write;
  wire [47:0] big_key_iova;
  wire [47:0] big_key_compare;
  wire        big_key_low;
  wire        big_key_huge;
  wire [1:0]  big_key_function;
  wire [19:0] big_key_pasid;
  wire        big_key_pasid_valid;
  wire        big_key_privileged;
  wire        big_key_global;
  wire        big_key_any_pasid;
  wire        big_key_all;
  wire        big_fill_read;
  wire        big_fill_write;
  wire        big_fill_exec;
  wire [51:0] big_fill_data;
  wire        engine_reset;
  wire        engine_held_valid;
  wire [1:0]  engine_held_function;
  wire        engine_held_pasid_valid;
  wire [19:0] engine_held_pasid;
  wire        engine_held_privileged;
  wire        engine_held_global;
  wire [51:0] engine_held_granule;
  wire        engine_held_usable;
  wire        engine_held_large;
  wire        engine_held_low;
  wire        engine_held_huge;
  wire        engine_pending_valid;
  wire [1:0]  engine_pending_function;
  wire        engine_pending_pasid_valid;
  wire [19:0] engine_pending_pasid;
  wire        engine_pending_global;
  wire        engine_pending_any_pasid;
  wire        engine_pending_all;
  wire [51:0] engine_pending_granule;
  wire [51:0] engine_pending_compare;
  wire        engine_pasid_used;
  wire        engine_end_fill;
  wire        engine_end_sweep;
  wire        engine_now_cleared;
  wire        engine_fill_done;
  wire        engine_stat_fill;
  wire        engine_stat_evict;
  wire        engine_invalidate_done;
  wire        engine_cleared;
  wire [51:0] engine_key_granule;
  wire [51:0] engine_key_compare;
  wire [1:0]  engine_key_function;
  wire [3:0]  engine_key_generation;
  wire [19:0] engine_key_pasid;
  wire        engine_key_pasid_valid;
  wire        engine_key_privileged;
  wire        engine_key_global;
  wire        engine_key_any_pasid;
  wire        engine_key_all;
  wire [5:0]  engine_set;
  wire [3:0]  engine_rivals;
  wire [3:0]  engine_frees;
  wire [3:0]  engine_drops;
  wire [5:0]  engine_order;
  wire [3:0]  engine_write_ways;
  wire [5:0]  engine_write_set;
  wire [3:0]  engine_write_valid;
  wire        engine_order_clear;
  wire        engine_order_touch;
  wire [3:0]  engine_generation_read;
  wire        engine_generation_write;
  wire [1:0]  engine_generation_function;
  wire [3:0]  engine_generation_value;
  wire        engine_large_walk;
  wire        engine_large_filling;
  wire        engine_large_walking;
  wire        engine_large_pick;
  wire        engine_large_evicts;
  wire        engine_large_write;

  // Registers
  reg         s1_valid_q = 1'b0;
  wire        s1_valid_d;
  reg  [4:0]  s1_slot_q = 5'h0;
  wire [4:0]  s1_slot_d;
  reg  [1:0]  s1_function_q = 2'h0;
  wire [1:0]  s1_function_d;
  reg         s1_pasid_valid_q = 1'b0;
  wire        s1_pasid_valid_d;
  reg  [19:0] s1_pasid_q = 20'h0;
  wire [19:0] s1_pasid_d;
  reg         s1_exec_q = 1'b0;
  wire        s1_exec_d;
  reg         s1_privileged_q = 1'b0;
  wire        s1_privileged_d;
  reg  [63:0] s1_iova_q = 64'h0;
  wire [63:0] s1_iova_d;
  reg         s1_read_q = 1'b0;
  wire        s1_read_d;
  reg         s1_write_q = 1'b0;
  wire        s1_write_d;
  reg         s2_valid_q = 1'b0;
  wire        s2_valid_d;
  reg  [4:0]  s2_slot_q = 5'h0;
  wire [4:0]  s2_slot_d;
  reg  [29:0] s2_iova_q = 30'h0;
  wire [29:0] s2_iova_d;
  reg  [3:0]  s2_epoch_q = 4'h0;
  wire [3:0]  s2_epoch_d;
  reg         s3_valid_q = 1'b0;
  wire        s3_valid_d;
  reg         s3_live_q = 1'b0;
  wire        s3_live_d;
  reg  [4:0]  s3_slot_q = 5'h0;
  wire [4:0]  s3_slot_d;
  reg  [3:0]  s3_epoch_q = 4'h0;
  wire [3:0]  s3_epoch_d;
  reg         s3_pending_q = 1'b0;
  wire        s3_pending_d;
  reg  [29:0] s3_iova_q = 30'h0;
  wire [29:0] s3_iova_d;

  rnic_xlat_atc_base_f2_a6_w4 base (
    .clock(clock),
    .reset(base_reset),
    .lookup_set(base_lookup_set),
    .asked_granule(base_asked_granule),
    .asked_function(base_asked_function),
    .asked_generation(base_asked_generation),
    .asked_pasid(base_asked_pasid),
    .asked_pasid_valid(base_asked_pasid_valid),
    .asked_privileged(base_asked_privileged),
    .asked_read(base_asked_read),
    .asked_write(base_asked_write),
    .asked_exec(base_asked_exec),
    .asked_elsewhere(base_asked_elsewhere),
    .live(base_live),
    .live_set(base_live_set),
    .hit(base_hit),
    .named(base_named),
    .odd(base_odd),
    .address(base_address),
    .untranslated(base_untranslated),
    .no_snoop(base_no_snoop),
    .engine_set(base_engine_set),
    .key_granule(base_key_granule),
    .key_compare(base_key_compare),
    .key_function(base_key_function),
    .key_generation(base_key_generation),
    .key_pasid(base_key_pasid),
    .key_pasid_valid(base_key_pasid_valid),
    .key_privileged(base_key_privileged),
    .key_global(base_key_global),
    .key_any_pasid(base_key_any_pasid),
    .key_all(base_key_all),
    .rivals(base_rivals),
    .frees(base_frees),
    .drops(base_drops),
    .order(base_order),
    .write_ways(base_write_ways),
    .write_set(base_write_set),
    .write_valid(base_write_valid),
    .write_tag(base_write_tag),
    .write_data(base_write_data),
    .order_clear(base_order_clear),
    .order_touch(base_order_touch)
  );

  rnic_xlat_atc_result_s5 answer (
    .clock(clock),
    .reset(answer_reset),
    .valid(answer_valid),
    .live(answer_live),
    .pending(answer_pending),
    .slot(answer_slot),
    .epoch(answer_epoch),
    .iova(answer_iova),
    .base_hit(answer_base_hit),
    .base_named(answer_base_named),
    .base_odd(answer_base_odd),
    .base_address(answer_base_address),
    .base_untranslated(answer_base_untranslated),
    .base_no_snoop(answer_base_no_snoop),
    .large_hit(answer_large_hit),
    .large_named(answer_large_named),
    .large_data(answer_large_data),
    .result_valid(answer_result_valid),
    .result_slot(answer_result_slot),
    .result_hit(answer_result_hit),
    .result_address(answer_result_address),
    .result_untranslated(answer_result_untranslated),
    .result_no_snoop(answer_result_no_snoop),
    .result_epoch(answer_result_epoch),
    .stat_hit_base(answer_stat_hit_base),
    .stat_hit_large(answer_stat_hit_large),
    .stat_miss(answer_stat_miss),
    .stat_miss_permission(answer_stat_miss_permission),
    .stat_miss_pending(answer_stat_miss_pending),
    .stat_parity(answer_stat_parity)
  );

  rnic_xlat_atc_pending_f2 pending (
    .clock(clock),
    .asked_function(pending_asked_function),
    .asked_pasid(pending_asked_pasid),
    .asked_pasid_valid(pending_asked_pasid_valid),
    .asked_granule(pending_asked_granule),
    .clearing(pending_clearing),
    .pending_valid(pending_pending_valid),
    .pending_function(pending_pending_function),
    .pending_pasid_valid(pending_pending_pasid_valid),
    .pending_pasid(pending_pending_pasid),
    .pending_any_pasid(pending_pending_any_pasid),
    .pending_all(pending_pending_all),
    .pending_granule(pending_pending_granule),
    .pending_compare(pending_pending_compare),
    .held_off(pending_held_off)
  );

  rnic_xlat_atc_requests_f2 requests (
    .clock(clock),
    .reset(requests_reset),
    .fill_valid(requests_fill_valid),
    .fill_function(requests_fill_function),
    .fill_pasid_valid(requests_fill_pasid_valid),
    .fill_pasid(requests_fill_pasid),
    .fill_privileged(requests_fill_privileged),
    .fill_granule(requests_fill_granule),
    .fill_address(requests_fill_address),
    .fill_size(requests_fill_size),
    .fill_read(requests_fill_read),
    .fill_write(requests_fill_write),
    .fill_exec(requests_fill_exec),
    .fill_global(requests_fill_global),
    .fill_untranslated(requests_fill_untranslated),
    .fill_no_snoop(requests_fill_no_snoop),
    .fill_flip(requests_fill_flip),
    .fill_ready(requests_fill_ready),
    .invalidate_valid(requests_invalidate_valid),
    .invalidate_function(requests_invalidate_function),
    .invalidate_pasid_valid(requests_invalidate_pasid_valid),
    .invalidate_pasid(requests_invalidate_pasid),
    .invalidate_global(requests_invalidate_global),
    .invalidate_all(requests_invalidate_all),
    .invalidate_granule(requests_invalidate_granule),
    .invalidate_size(requests_invalidate_size),
    .invalidate_ready(requests_invalidate_ready),
    .cleared(requests_cleared),
    .end_fill(requests_end_fill),
    .end_sweep(requests_end_sweep),
    .held_valid(requests_held_valid),
    .held_function(requests_held_function),
    .held_pasid_valid(requests_held_pasid_valid),
    .held_pasid(requests_held_pasid),
    .held_privileged(requests_held_privileged),
    .held_global(requests_held_global),
    .held_granule(requests_held_granule),
    .held_address(requests_held_address),
    .held_keep(requests_held_keep),
    .held_usable(requests_held_usable),
    .held_large(requests_held_large),
    .held_low(requests_held_low),
    .held_huge(requests_held_huge),
    .held_read(requests_held_read),
    .held_write(requests_held_write),
    .held_exec(requests_held_exec),
    .held_untranslated(requests_held_untranslated),
    .held_no_snoop(requests_held_no_snoop),
    .held_flip(requests_held_flip),
    .pending_valid(requests_pending_valid),
    .pending_function(requests_pending_function),
    .pending_pasid_valid(requests_pending_pasid_valid),
    .pending_pasid(requests_pending_pasid),
    .pending_global(requests_pending_global),
    .pending_any_pasid(requests_pending_any_pasid),
    .pending_all(requests_pending_all),
    .pending_granule(requests_pending_granule),
    .pending_compare(requests_pending_compare),
    .epoch(requests_epoch),
    .pasid_used(requests_pasid_used)
  );

  rnic_xlat_atc_entry_f2 entry (
    .clock(clock),
    .key_granule(entry_key_granule),
    .key_compare(entry_key_compare),
    .key_function(entry_key_function),
    .key_generation(entry_key_generation),
    .key_pasid(entry_key_pasid),
    .key_pasid_valid(entry_key_pasid_valid),
    .key_privileged(entry_key_privileged),
    .key_global(entry_key_global),
    .key_any_pasid(entry_key_any_pasid),
    .fill_address(entry_fill_address),
    .fill_keep(entry_fill_keep),
    .fill_low(entry_fill_low),
    .fill_huge(entry_fill_huge),
    .fill_read(entry_fill_read),
    .fill_write(entry_fill_write),
    .fill_exec(entry_fill_exec),
    .fill_untranslated(entry_fill_untranslated),
    .fill_no_snoop(entry_fill_no_snoop),
    .fill_flip(entry_fill_flip),
    .tag(entry_tag),
    .data(entry_data),
    .large_data(entry_large_data)
  );

  rnic_xlat_ram_1w2r_w4_a2_disjoint1 generation (
    .clock(clock),
    .wr_en(generation_wr_en),
    .wr_addr(generation_wr_addr),
    .wr_data(generation_wr_data),
    .rd0_en(generation_rd0_en),
    .rd0_addr(generation_rd0_addr),
    .rd0_data(generation_rd0_data),
    .rd1_en(generation_rd1_en),
    .rd1_addr(generation_rd1_addr),
    .rd1_data(generation_rd1_data)
  );

  rnic_xlat_atc_large_f2_n16 big (
    .clock(clock),
    .reset(big_reset),
    .lookup_iova(big_lookup_iova),
    .lookup_function(big_lookup_function),
    .lookup_pasid(big_lookup_pasid),
    .lookup_pasid_valid(big_lookup_pasid_valid),
    .lookup_privileged(big_lookup_privileged),
    .lookup_read(big_lookup_read),
    .lookup_write(big_lookup_write),
    .lookup_exec(big_lookup_exec),
    .early_hit(big_early_hit),
    .hit(big_hit),
    .named(big_named),
    .data(big_data),
    .walk(big_walk),
    .filling(big_filling),
    .walking(big_walking),
    .pick(big_pick),
    .evicts(big_evicts),
    .write(big_write),
    .key_iova(big_key_iova),
    .key_compare(big_key_compare),
    .key_low(big_key_low),
    .key_huge(big_key_huge),
    .key_function(big_key_function),
    .key_pasid(big_key_pasid),
    .key_pasid_valid(big_key_pasid_valid),
    .key_privileged(big_key_privileged),
    .key_global(big_key_global),
    .key_any_pasid(big_key_any_pasid),
    .key_all(big_key_all),
    .fill_read(big_fill_read),
    .fill_write(big_fill_write),
    .fill_exec(big_fill_exec),
    .fill_data(big_fill_data)
  );

  rnic_xlat_atc_engine_f2_a6 engine (
    .clock(clock),
    .reset(engine_reset),
    .held_valid(engine_held_valid),
    .held_function(engine_held_function),
    .held_pasid_valid(engine_held_pasid_valid),
    .held_pasid(engine_held_pasid),
    .held_privileged(engine_held_privileged),
    .held_global(engine_held_global),
    .held_granule(engine_held_granule),
    .held_usable(engine_held_usable),
    .held_large(engine_held_large),
    .held_low(engine_held_low),
    .held_huge(engine_held_huge),
    .pending_valid(engine_pending_valid),
    .pending_function(engine_pending_function),
    .pending_pasid_valid(engine_pending_pasid_valid),
    .pending_pasid(engine_pending_pasid),
    .pending_global(engine_pending_global),
    .pending_any_pasid(engine_pending_any_pasid),
    .pending_all(engine_pending_all),
    .pending_granule(engine_pending_granule),
    .pending_compare(engine_pending_compare),
    .pasid_used(engine_pasid_used),
    .end_fill(engine_end_fill),
    .end_sweep(engine_end_sweep),
    .now_cleared(engine_now_cleared),
    .fill_done(engine_fill_done),
    .stat_fill(engine_stat_fill),
    .stat_evict(engine_stat_evict),
    .invalidate_done(engine_invalidate_done),
    .cleared(engine_cleared),
    .key_granule(engine_key_granule),
    .key_compare(engine_key_compare),
    .key_function(engine_key_function),
    .key_generation(engine_key_generation),
    .key_pasid(engine_key_pasid),
    .key_pasid_valid(engine_key_pasid_valid),
    .key_privileged(engine_key_privileged),
    .key_global(engine_key_global),
    .key_any_pasid(engine_key_any_pasid),
    .key_all(engine_key_all),
    .set(engine_set),
    .rivals(engine_rivals),
    .frees(engine_frees),
    .drops(engine_drops),
    .order(engine_order),
    .write_ways(engine_write_ways),
    .write_set(engine_write_set),
    .write_valid(engine_write_valid),
    .order_clear(engine_order_clear),
    .order_touch(engine_order_touch),
    .generation_read(engine_generation_read),
    .generation_write(engine_generation_write),
    .generation_function(engine_generation_function),
    .generation_value(engine_generation_value),
    .large_walk(engine_large_walk),
    .large_filling(engine_large_filling),
    .large_walking(engine_large_walking),
    .large_pick(engine_large_pick),
    .large_evicts(engine_large_evicts),
    .large_write(engine_large_write)
  );

  // e0: the RAMs are read.
  assign set = lookup_key_iova[17:12];
  assign s1_valid_d = lookup_valid & (~reset);
  assign s1_slot_d = lookup_slot;
  assign s1_function_d = lookup_key_function;
  assign s1_pasid_valid_d = lookup_key_pasid_valid;
  assign s1_pasid_d = lookup_key_pasid_value;
  assign s1_exec_d = lookup_key_pasid_exec;
  assign s1_privileged_d = lookup_key_pasid_priv;
  assign s1_iova_d = lookup_key_iova;
  assign s1_read_d = lookup_read;
  assign s1_write_d = lookup_write;
  assign generation_rd0_en = 1'b1;
  assign generation_rd0_addr = lookup_key_function;
  // e1: the arrays and the pending invalidation compare.
  assign s2_valid_d = s1_valid_q & (~reset);
  assign s2_slot_d = s1_slot_q;
  assign s2_iova_d = s1_iova_q[29:0];
  assign s2_epoch_d = requests_epoch;
  // e2: pending or not.
  assign s3_valid_d = s2_valid_q & (~reset);
  assign s3_live_d = (s2_valid_q & (~pending_held_off)) & (~reset);
  assign s3_pending_d = pending_held_off;
  assign s3_slot_d = s2_slot_q;
  assign s3_epoch_d = s2_epoch_q;
  assign s3_iova_d = s2_iova_q;
  // e3 and e4: result and statistics.
  assign answer_reset = reset;
  assign answer_valid = s3_valid_q;
  assign answer_live = s3_live_q;
  assign answer_pending = s3_pending_q;
  assign answer_slot = s3_slot_q;
  assign answer_epoch = s3_epoch_q;
  assign answer_iova = s3_iova_q;
  assign answer_base_hit = base_hit;
  assign answer_base_named = base_named;
  assign answer_base_odd = base_odd;
  assign answer_base_address = base_address;
  assign answer_base_untranslated = base_untranslated;
  assign answer_base_no_snoop = base_no_snoop;
  assign answer_large_hit = big_hit;
  assign answer_large_named = big_named;
  assign answer_large_data = big_data;
  assign result_valid = answer_result_valid;
  assign result_slot = answer_result_slot;
  assign result_hit = answer_result_hit;
  assign result_address = answer_result_address;
  assign result_untranslated = answer_result_untranslated;
  assign result_no_snoop = answer_result_no_snoop;
  assign result_epoch = answer_result_epoch;
  assign stat_hit_base = answer_stat_hit_base;
  assign stat_hit_large = answer_stat_hit_large;
  assign stat_miss = answer_stat_miss;
  assign stat_miss_permission = answer_stat_miss_permission;
  assign stat_miss_pending = answer_stat_miss_pending;
  assign stat_parity = answer_stat_parity;
  // Base-granule array.
  assign base_reset = reset;
  assign base_lookup_set = set;
  assign base_asked_granule = s1_iova_q[63:12];
  assign base_asked_function = s1_function_q;
  assign base_asked_generation = generation_rd0_data;
  assign base_asked_pasid = s1_pasid_q;
  assign base_asked_pasid_valid = s1_pasid_valid_q;
  assign base_asked_privileged = s1_privileged_q;
  assign base_asked_read = s1_read_q;
  assign base_asked_write = s1_write_q;
  assign base_asked_exec = s1_exec_q;
  assign base_asked_elsewhere = big_early_hit;
  assign base_live = s3_live_q;
  assign base_live_set = s3_iova_q[17:12];
  assign base_engine_set = engine_set;
  assign base_key_granule = engine_key_granule;
  assign base_key_compare = engine_key_compare;
  assign base_key_function = engine_key_function;
  assign base_key_generation = engine_key_generation;
  assign base_key_pasid = engine_key_pasid;
  assign base_key_pasid_valid = engine_key_pasid_valid;
  assign base_key_privileged = engine_key_privileged;
  assign base_key_global = engine_key_global;
  assign base_key_any_pasid = engine_key_any_pasid;
  assign base_key_all = engine_key_all;
  assign base_write_ways = engine_write_ways;
  assign base_write_set = engine_write_set;
  assign base_write_valid = engine_write_valid;
  assign base_write_tag = entry_tag;
  assign base_write_data = entry_data;
  assign base_order_clear = engine_order_clear;
  assign base_order_touch = engine_order_touch;
  // Pending invalidation.
  assign pending_asked_function = s1_function_q;
  assign pending_asked_pasid = s1_pasid_q;
  assign pending_asked_pasid_valid = s1_pasid_valid_q;
  assign pending_asked_granule = s1_iova_q[63:12];
  assign pending_clearing = ~engine_cleared;
  assign pending_pending_valid = requests_pending_valid;
  assign pending_pending_function = requests_pending_function;
  assign pending_pending_pasid_valid = requests_pending_pasid_valid;
  assign pending_pending_pasid = requests_pending_pasid;
  assign pending_pending_any_pasid = requests_pending_any_pasid;
  assign pending_pending_all = requests_pending_all;
  assign pending_pending_granule = requests_pending_granule;
  assign pending_pending_compare = requests_pending_compare;
  // Generations.
  assign generation_rd1_en = 1'b1;
  assign generation_rd1_addr = engine_key_function;
  assign generation_wr_en = engine_generation_write;
  assign generation_wr_addr = engine_generation_function;
  assign generation_wr_data = engine_generation_value;
  // Large-page array.
  assign big_reset = reset;
  assign big_lookup_iova = lookup_key_iova[63:16];
  assign big_lookup_function = lookup_key_function;
  assign big_lookup_pasid = lookup_key_pasid_value;
  assign big_lookup_pasid_valid = lookup_key_pasid_valid;
  assign big_lookup_privileged = lookup_key_pasid_priv;
  assign big_lookup_read = lookup_read;
  assign big_lookup_write = lookup_write;
  assign big_lookup_exec = lookup_key_pasid_exec;
  assign big_walk = engine_large_walk;
  assign big_filling = engine_large_filling;
  assign big_pick = engine_large_pick;
  assign big_write = engine_large_write;
  assign big_key_iova = engine_key_granule[51:4];
  assign big_key_compare = engine_key_compare[51:4];
  assign big_key_low = requests_held_low;
  assign big_key_huge = requests_held_huge;
  assign big_key_function = engine_key_function;
  assign big_key_pasid = engine_key_pasid;
  assign big_key_pasid_valid = engine_key_pasid_valid;
  assign big_key_privileged = engine_key_privileged;
  assign big_key_global = engine_key_global;
  assign big_key_any_pasid = engine_key_any_pasid;
  assign big_key_all = engine_key_all;
  assign big_fill_read = requests_held_read;
  assign big_fill_write = requests_held_write;
  assign big_fill_exec = requests_held_exec;
  assign big_fill_data = entry_large_data;
  // Requests, engine, words to write.
  assign requests_reset = reset;
  assign requests_fill_valid = fill_valid;
  assign requests_fill_function = fill_key_function;
  assign requests_fill_pasid_valid = fill_key_pasid_valid;
  assign requests_fill_pasid = fill_key_pasid_value;
  assign requests_fill_privileged = fill_key_pasid_priv;
  assign requests_fill_granule = fill_key_iova[63:12];
  assign requests_fill_address = fill_address[63:12];
  assign requests_fill_size = fill_size_log2;
  assign requests_fill_read = fill_read;
  assign requests_fill_write = fill_write;
  assign requests_fill_exec = fill_exec;
  assign requests_fill_global = fill_global;
  assign requests_fill_untranslated = fill_untranslated;
  assign requests_fill_no_snoop = fill_no_snoop;
  assign requests_fill_flip = inject_parity;
  assign requests_invalidate_valid = invalidate_valid;
  assign requests_invalidate_function = invalidate_function;
  assign requests_invalidate_pasid_valid = invalidate_pasid_valid;
  assign requests_invalidate_pasid = invalidate_pasid_value;
  assign requests_invalidate_global = invalidate_global;
  assign requests_invalidate_all = invalidate_all;
  assign requests_invalidate_granule = invalidate_iova[63:12];
  assign requests_invalidate_size = invalidate_size_log2;
  assign requests_cleared = engine_now_cleared;
  assign requests_end_fill = engine_end_fill;
  assign requests_end_sweep = engine_end_sweep;
  assign engine_reset = reset;
  assign engine_held_valid = requests_held_valid;
  assign engine_held_function = requests_held_function;
  assign engine_held_pasid_valid = requests_held_pasid_valid;
  assign engine_held_pasid = requests_held_pasid;
  assign engine_held_privileged = requests_held_privileged;
  assign engine_held_global = requests_held_global;
  assign engine_held_granule = requests_held_granule;
  assign engine_held_usable = requests_held_usable;
  assign engine_held_large = requests_held_large;
  assign engine_held_low = requests_held_low;
  assign engine_held_huge = requests_held_huge;
  assign engine_pending_valid = requests_pending_valid;
  assign engine_pending_function = requests_pending_function;
  assign engine_pending_pasid_valid = requests_pending_pasid_valid;
  assign engine_pending_pasid = requests_pending_pasid;
  assign engine_pending_global = requests_pending_global;
  assign engine_pending_any_pasid = requests_pending_any_pasid;
  assign engine_pending_all = requests_pending_all;
  assign engine_pending_granule = requests_pending_granule;
  assign engine_pending_compare = requests_pending_compare;
  assign engine_pasid_used = requests_pasid_used;
  assign engine_rivals = base_rivals;
  assign engine_frees = base_frees;
  assign engine_drops = base_drops;
  assign engine_order = base_order;
  assign entry_key_granule = engine_key_granule;
  assign entry_key_compare = engine_key_compare;
  assign entry_key_function = engine_key_function;
  assign entry_key_generation = engine_key_generation;
  assign entry_key_pasid = engine_key_pasid;
  assign entry_key_pasid_valid = engine_key_pasid_valid;
  assign entry_key_privileged = engine_key_privileged;
  assign entry_key_global = engine_key_global;
  assign entry_key_any_pasid = engine_key_any_pasid;
  assign entry_fill_address = requests_held_address;
  assign entry_fill_keep = requests_held_keep;
  assign entry_fill_low = requests_held_low;
  assign entry_fill_huge = requests_held_huge;
  assign entry_fill_read = requests_held_read;
  assign entry_fill_write = requests_held_write;
  assign entry_fill_exec = requests_held_exec;
  assign entry_fill_untranslated = requests_held_untranslated;
  assign entry_fill_no_snoop = requests_held_no_snoop;
  assign entry_fill_flip = requests_held_flip;
  assign engine_generation_read = generation_rd1_data;
  assign engine_large_walking = big_walking;
  assign engine_large_evicts = big_evicts;
  assign fill_ready = requests_fill_ready;
  assign fill_done = engine_fill_done;
  assign invalidate_ready = requests_invalidate_ready;
  assign invalidate_done = engine_invalidate_done;
  assign stat_fill = engine_stat_fill;
  assign stat_evict = engine_stat_evict;
  assign stat_invalidate = engine_invalidate_done;

  always @(posedge clock) begin
    s1_valid_q <= s1_valid_d;
    s1_slot_q <= s1_slot_d;
    s1_function_q <= s1_function_d;
    s1_pasid_valid_q <= s1_pasid_valid_d;
    s1_pasid_q <= s1_pasid_d;
    s1_exec_q <= s1_exec_d;
    s1_privileged_q <= s1_privileged_d;
    s1_iova_q <= s1_iova_d;
    s1_read_q <= s1_read_d;
    s1_write_q <= s1_write_d;
    s2_valid_q <= s2_valid_d;
    s2_slot_q <= s2_slot_d;
    s2_iova_q <= s2_iova_d;
    s2_epoch_q <= s2_epoch_d;
    s3_valid_q <= s3_valid_d;
    s3_live_q <= s3_live_d;
    s3_slot_q <= s3_slot_d;
    s3_epoch_q <= s3_epoch_d;
    s3_pending_q <= s3_pending_d;
    s3_iova_q <= s3_iova_d;
  end
endmodule

`default_nettype wire
