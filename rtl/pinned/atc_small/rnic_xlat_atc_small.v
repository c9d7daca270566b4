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
  wire        clash;
  reg  [3:0]  named;
  reg  [3:0]  hits;
  wire        large_hit;
  reg         odd;
  reg  [51:0] address;
  reg  [51:0] large_address;
  reg         untranslated;
  reg         no_snoop;
  wire [51:0] large_word;
  wire        held_off;
  wire        pending;
  wire        hit;
  reg  [63:0] whole;
  reg  [3:0]  rivals;
  reg  [3:0]  frees;
  reg  [3:0]  drops;
  wire [5:0]  way_0_lookup_set;
  wire        way_0_lookup_clash;
  wire [51:0] way_0_asked_granule;
  wire [1:0]  way_0_asked_function;
  wire [3:0]  way_0_asked_generation;
  wire [19:0] way_0_asked_pasid;
  wire        way_0_asked_pasid_valid;
  wire        way_0_asked_privileged;
  wire        way_0_asked_read;
  wire        way_0_asked_write;
  wire        way_0_asked_exec;
  wire        way_0_asked_elsewhere;
  wire        way_0_named;
  wire        way_0_good;
  wire        way_0_sound;
  wire        way_0_valid;
  wire [51:0] way_0_address;
  wire        way_0_untranslated;
  wire        way_0_no_snoop;
  wire [5:0]  way_0_engine_set;
  wire [51:0] way_0_key_granule;
  wire [51:0] way_0_key_compare;
  wire [1:0]  way_0_key_function;
  wire [3:0]  way_0_key_generation;
  wire [19:0] way_0_key_pasid;
  wire        way_0_key_pasid_valid;
  wire        way_0_key_privileged;
  wire        way_0_key_global;
  wire        way_0_key_any_pasid;
  wire        way_0_key_all;
  wire        way_0_rival;
  wire        way_0_free;
  wire        way_0_drop;
  wire        way_0_write_en;
  wire [5:0]  way_0_write_set;
  wire        way_0_write_valid;
  wire [87:0] way_0_write_tag;
  wire [54:0] way_0_write_data;
  wire [5:0]  way_1_lookup_set;
  wire        way_1_lookup_clash;
  wire [51:0] way_1_asked_granule;
  wire [1:0]  way_1_asked_function;
  wire [3:0]  way_1_asked_generation;
  wire [19:0] way_1_asked_pasid;
  wire        way_1_asked_pasid_valid;
  wire        way_1_asked_privileged;
  wire        way_1_asked_read;
  wire        way_1_asked_write;
  wire        way_1_asked_exec;
  wire        way_1_asked_elsewhere;
  wire        way_1_named;
  wire        way_1_good;
  wire        way_1_sound;
  wire        way_1_valid;
  wire [51:0] way_1_address;
  wire        way_1_untranslated;
  wire        way_1_no_snoop;
  wire [5:0]  way_1_engine_set;
  wire [51:0] way_1_key_granule;
  wire [51:0] way_1_key_compare;
  wire [1:0]  way_1_key_function;
  wire [3:0]  way_1_key_generation;
  wire [19:0] way_1_key_pasid;
  wire        way_1_key_pasid_valid;
  wire        way_1_key_privileged;
  wire        way_1_key_global;
  wire        way_1_key_any_pasid;
  wire        way_1_key_all;
  wire        way_1_rival;
  wire        way_1_free;
  wire        way_1_drop;
  wire        way_1_write_en;
  wire [5:0]  way_1_write_set;
  wire        way_1_write_valid;
  wire [87:0] way_1_write_tag;
  wire [54:0] way_1_write_data;
  wire [5:0]  way_2_lookup_set;
  wire        way_2_lookup_clash;
  wire [51:0] way_2_asked_granule;
  wire [1:0]  way_2_asked_function;
  wire [3:0]  way_2_asked_generation;
  wire [19:0] way_2_asked_pasid;
  wire        way_2_asked_pasid_valid;
  wire        way_2_asked_privileged;
  wire        way_2_asked_read;
  wire        way_2_asked_write;
  wire        way_2_asked_exec;
  wire        way_2_asked_elsewhere;
  wire        way_2_named;
  wire        way_2_good;
  wire        way_2_sound;
  wire        way_2_valid;
  wire [51:0] way_2_address;
  wire        way_2_untranslated;
  wire        way_2_no_snoop;
  wire [5:0]  way_2_engine_set;
  wire [51:0] way_2_key_granule;
  wire [51:0] way_2_key_compare;
  wire [1:0]  way_2_key_function;
  wire [3:0]  way_2_key_generation;
  wire [19:0] way_2_key_pasid;
  wire        way_2_key_pasid_valid;
  wire        way_2_key_privileged;
  wire        way_2_key_global;
  wire        way_2_key_any_pasid;
  wire        way_2_key_all;
  wire        way_2_rival;
  wire        way_2_free;
  wire        way_2_drop;
  wire        way_2_write_en;
  wire [5:0]  way_2_write_set;
  wire        way_2_write_valid;
  wire [87:0] way_2_write_tag;
  wire [54:0] way_2_write_data;
  wire [5:0]  way_3_lookup_set;
  wire        way_3_lookup_clash;
  wire [51:0] way_3_asked_granule;
  wire [1:0]  way_3_asked_function;
  wire [3:0]  way_3_asked_generation;
  wire [19:0] way_3_asked_pasid;
  wire        way_3_asked_pasid_valid;
  wire        way_3_asked_privileged;
  wire        way_3_asked_read;
  wire        way_3_asked_write;
  wire        way_3_asked_exec;
  wire        way_3_asked_elsewhere;
  wire        way_3_named;
  wire        way_3_good;
  wire        way_3_sound;
  wire        way_3_valid;
  wire [51:0] way_3_address;
  wire        way_3_untranslated;
  wire        way_3_no_snoop;
  wire [5:0]  way_3_engine_set;
  wire [51:0] way_3_key_granule;
  wire [51:0] way_3_key_compare;
  wire [1:0]  way_3_key_function;
  wire [3:0]  way_3_key_generation;
  wire [19:0] way_3_key_pasid;
  wire        way_3_key_pasid_valid;
  wire        way_3_key_privileged;
  wire        way_3_key_global;
  wire        way_3_key_any_pasid;
  wire        way_3_key_all;
  wire        way_3_rival;
  wire        way_3_free;
  wire        way_3_drop;
  wire        way_3_write_en;
  wire [5:0]  way_3_write_set;
  wire        way_3_write_valid;
  wire [87:0] way_3_write_tag;
  wire [54:0] way_3_write_data;
  wire        order_reset;
  wire [5:0]  order_lookup_set;
  wire [5:0]  order_lookup_order;
  wire [5:0]  order_engine_set;
  wire [5:0]  order_engine_order;
  wire        order_clear_en;
  wire [5:0]  order_clear_set;
  reg         order_touch_en;
  reg  [5:0]  order_touch_set;
  reg  [3:0]  order_touch_ways;
  reg  [5:0]  order_touch_order;
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
  wire        engine_fill_valid;
  wire [1:0]  engine_fill_function;
  wire        engine_fill_pasid_valid;
  wire [19:0] engine_fill_pasid;
  wire        engine_fill_privileged;
  wire [51:0] engine_fill_granule;
  wire [51:0] engine_fill_address;
  wire [5:0]  engine_fill_size;
  wire        engine_fill_read;
  wire        engine_fill_write;
  wire        engine_fill_exec;
  wire        engine_fill_global;
  wire        engine_fill_untranslated;
  wire        engine_fill_no_snoop;
  wire        engine_fill_flip;
  wire        engine_fill_ready;
  wire        engine_fill_done;
  wire        engine_stat_fill;
  wire        engine_stat_evict;
  wire        engine_invalidate_valid;
  wire [1:0]  engine_invalidate_function;
  wire        engine_invalidate_pasid_valid;
  wire [19:0] engine_invalidate_pasid;
  wire        engine_invalidate_global;
  wire        engine_invalidate_all;
  wire [51:0] engine_invalidate_granule;
  wire [5:0]  engine_invalidate_size;
  wire        engine_invalidate_ready;
  wire        engine_invalidate_done;
  wire [3:0]  engine_epoch;
  wire        engine_cleared;
  wire        engine_pending_valid;
  wire [1:0]  engine_pending_function;
  wire        engine_pending_pasid_valid;
  wire [19:0] engine_pending_pasid;
  wire        engine_pending_any_pasid;
  wire        engine_pending_all;
  wire [51:0] engine_pending_granule;
  wire [51:0] engine_pending_compare;
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
  wire [87:0] engine_write_tag;
  wire [54:0] engine_write_data;
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
  wire        engine_large_low;
  wire        engine_large_huge;
  wire        engine_large_read;
  wire        engine_large_write_right;
  wire        engine_large_exec;
  wire [51:0] engine_large_data;

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
  reg         s2_clearing_q = 1'b0;
  wire        s2_clearing_d;
  reg         s2_function_pending_q = 1'b0;
  wire        s2_function_pending_d;
  reg         s2_everywhere_q = 1'b0;
  wire        s2_everywhere_d;
  reg         s2_scope_q = 1'b0;
  wire        s2_scope_d;
  reg         s2_pasid_pending_q = 1'b0;
  wire        s2_pasid_pending_d;
  reg         s2_differs_0_q = 1'b0;
  wire        s2_differs_0_d;
  reg         s2_differs_1_q = 1'b0;
  wire        s2_differs_1_d;
  reg         s2_differs_2_q = 1'b0;
  wire        s2_differs_2_d;
  reg         s2_differs_3_q = 1'b0;
  wire        s2_differs_3_d;
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
  reg  [3:0]  r_ways_q = 4'h0;
  wire [3:0]  r_ways_d;
  reg  [5:0]  r_set_q = 6'h0;
  wire [5:0]  r_set_d;
  reg  [5:0]  r_order_q = 6'h0;
  wire [5:0]  r_order_d;
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

  rnic_xlat_atc_way_f2_a6 way_0 (
    .clock(clock),
    .lookup_set(way_0_lookup_set),
    .lookup_clash(way_0_lookup_clash),
    .asked_granule(way_0_asked_granule),
    .asked_function(way_0_asked_function),
    .asked_generation(way_0_asked_generation),
    .asked_pasid(way_0_asked_pasid),
    .asked_pasid_valid(way_0_asked_pasid_valid),
    .asked_privileged(way_0_asked_privileged),
    .asked_read(way_0_asked_read),
    .asked_write(way_0_asked_write),
    .asked_exec(way_0_asked_exec),
    .asked_elsewhere(way_0_asked_elsewhere),
    .named(way_0_named),
    .good(way_0_good),
    .sound(way_0_sound),
    .valid(way_0_valid),
    .address(way_0_address),
    .untranslated(way_0_untranslated),
    .no_snoop(way_0_no_snoop),
    .engine_set(way_0_engine_set),
    .key_granule(way_0_key_granule),
    .key_compare(way_0_key_compare),
    .key_function(way_0_key_function),
    .key_generation(way_0_key_generation),
    .key_pasid(way_0_key_pasid),
    .key_pasid_valid(way_0_key_pasid_valid),
    .key_privileged(way_0_key_privileged),
    .key_global(way_0_key_global),
    .key_any_pasid(way_0_key_any_pasid),
    .key_all(way_0_key_all),
    .rival(way_0_rival),
    .free(way_0_free),
    .drop(way_0_drop),
    .write_en(way_0_write_en),
    .write_set(way_0_write_set),
    .write_valid(way_0_write_valid),
    .write_tag(way_0_write_tag),
    .write_data(way_0_write_data)
  );

  rnic_xlat_atc_way_f2_a6 way_1 (
    .clock(clock),
    .lookup_set(way_1_lookup_set),
    .lookup_clash(way_1_lookup_clash),
    .asked_granule(way_1_asked_granule),
    .asked_function(way_1_asked_function),
    .asked_generation(way_1_asked_generation),
    .asked_pasid(way_1_asked_pasid),
    .asked_pasid_valid(way_1_asked_pasid_valid),
    .asked_privileged(way_1_asked_privileged),
    .asked_read(way_1_asked_read),
    .asked_write(way_1_asked_write),
    .asked_exec(way_1_asked_exec),
    .asked_elsewhere(way_1_asked_elsewhere),
    .named(way_1_named),
    .good(way_1_good),
    .sound(way_1_sound),
    .valid(way_1_valid),
    .address(way_1_address),
    .untranslated(way_1_untranslated),
    .no_snoop(way_1_no_snoop),
    .engine_set(way_1_engine_set),
    .key_granule(way_1_key_granule),
    .key_compare(way_1_key_compare),
    .key_function(way_1_key_function),
    .key_generation(way_1_key_generation),
    .key_pasid(way_1_key_pasid),
    .key_pasid_valid(way_1_key_pasid_valid),
    .key_privileged(way_1_key_privileged),
    .key_global(way_1_key_global),
    .key_any_pasid(way_1_key_any_pasid),
    .key_all(way_1_key_all),
    .rival(way_1_rival),
    .free(way_1_free),
    .drop(way_1_drop),
    .write_en(way_1_write_en),
    .write_set(way_1_write_set),
    .write_valid(way_1_write_valid),
    .write_tag(way_1_write_tag),
    .write_data(way_1_write_data)
  );

  rnic_xlat_atc_way_f2_a6 way_2 (
    .clock(clock),
    .lookup_set(way_2_lookup_set),
    .lookup_clash(way_2_lookup_clash),
    .asked_granule(way_2_asked_granule),
    .asked_function(way_2_asked_function),
    .asked_generation(way_2_asked_generation),
    .asked_pasid(way_2_asked_pasid),
    .asked_pasid_valid(way_2_asked_pasid_valid),
    .asked_privileged(way_2_asked_privileged),
    .asked_read(way_2_asked_read),
    .asked_write(way_2_asked_write),
    .asked_exec(way_2_asked_exec),
    .asked_elsewhere(way_2_asked_elsewhere),
    .named(way_2_named),
    .good(way_2_good),
    .sound(way_2_sound),
    .valid(way_2_valid),
    .address(way_2_address),
    .untranslated(way_2_untranslated),
    .no_snoop(way_2_no_snoop),
    .engine_set(way_2_engine_set),
    .key_granule(way_2_key_granule),
    .key_compare(way_2_key_compare),
    .key_function(way_2_key_function),
    .key_generation(way_2_key_generation),
    .key_pasid(way_2_key_pasid),
    .key_pasid_valid(way_2_key_pasid_valid),
    .key_privileged(way_2_key_privileged),
    .key_global(way_2_key_global),
    .key_any_pasid(way_2_key_any_pasid),
    .key_all(way_2_key_all),
    .rival(way_2_rival),
    .free(way_2_free),
    .drop(way_2_drop),
    .write_en(way_2_write_en),
    .write_set(way_2_write_set),
    .write_valid(way_2_write_valid),
    .write_tag(way_2_write_tag),
    .write_data(way_2_write_data)
  );

  rnic_xlat_atc_way_f2_a6 way_3 (
    .clock(clock),
    .lookup_set(way_3_lookup_set),
    .lookup_clash(way_3_lookup_clash),
    .asked_granule(way_3_asked_granule),
    .asked_function(way_3_asked_function),
    .asked_generation(way_3_asked_generation),
    .asked_pasid(way_3_asked_pasid),
    .asked_pasid_valid(way_3_asked_pasid_valid),
    .asked_privileged(way_3_asked_privileged),
    .asked_read(way_3_asked_read),
    .asked_write(way_3_asked_write),
    .asked_exec(way_3_asked_exec),
    .asked_elsewhere(way_3_asked_elsewhere),
    .named(way_3_named),
    .good(way_3_good),
    .sound(way_3_sound),
    .valid(way_3_valid),
    .address(way_3_address),
    .untranslated(way_3_untranslated),
    .no_snoop(way_3_no_snoop),
    .engine_set(way_3_engine_set),
    .key_granule(way_3_key_granule),
    .key_compare(way_3_key_compare),
    .key_function(way_3_key_function),
    .key_generation(way_3_key_generation),
    .key_pasid(way_3_key_pasid),
    .key_pasid_valid(way_3_key_pasid_valid),
    .key_privileged(way_3_key_privileged),
    .key_global(way_3_key_global),
    .key_any_pasid(way_3_key_any_pasid),
    .key_all(way_3_key_all),
    .rival(way_3_rival),
    .free(way_3_free),
    .drop(way_3_drop),
    .write_en(way_3_write_en),
    .write_set(way_3_write_set),
    .write_valid(way_3_write_valid),
    .write_tag(way_3_write_tag),
    .write_data(way_3_write_data)
  );

  rnic_xlat_atc_lru_a6 order (
    .clock(clock),
    .reset(order_reset),
    .lookup_set(order_lookup_set),
    .lookup_order(order_lookup_order),
    .engine_set(order_engine_set),
    .engine_order(order_engine_order),
    .clear_en(order_clear_en),
    .clear_set(order_clear_set),
    .touch_en(order_touch_en),
    .touch_set(order_touch_set),
    .touch_ways(order_touch_ways),
    .touch_order(order_touch_order)
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
    .fill_valid(engine_fill_valid),
    .fill_function(engine_fill_function),
    .fill_pasid_valid(engine_fill_pasid_valid),
    .fill_pasid(engine_fill_pasid),
    .fill_privileged(engine_fill_privileged),
    .fill_granule(engine_fill_granule),
    .fill_address(engine_fill_address),
    .fill_size(engine_fill_size),
    .fill_read(engine_fill_read),
    .fill_write(engine_fill_write),
    .fill_exec(engine_fill_exec),
    .fill_global(engine_fill_global),
    .fill_untranslated(engine_fill_untranslated),
    .fill_no_snoop(engine_fill_no_snoop),
    .fill_flip(engine_fill_flip),
    .fill_ready(engine_fill_ready),
    .fill_done(engine_fill_done),
    .stat_fill(engine_stat_fill),
    .stat_evict(engine_stat_evict),
    .invalidate_valid(engine_invalidate_valid),
    .invalidate_function(engine_invalidate_function),
    .invalidate_pasid_valid(engine_invalidate_pasid_valid),
    .invalidate_pasid(engine_invalidate_pasid),
    .invalidate_global(engine_invalidate_global),
    .invalidate_all(engine_invalidate_all),
    .invalidate_granule(engine_invalidate_granule),
    .invalidate_size(engine_invalidate_size),
    .invalidate_ready(engine_invalidate_ready),
    .invalidate_done(engine_invalidate_done),
    .epoch(engine_epoch),
    .cleared(engine_cleared),
    .pending_valid(engine_pending_valid),
    .pending_function(engine_pending_function),
    .pending_pasid_valid(engine_pending_pasid_valid),
    .pending_pasid(engine_pending_pasid),
    .pending_any_pasid(engine_pending_any_pasid),
    .pending_all(engine_pending_all),
    .pending_granule(engine_pending_granule),
    .pending_compare(engine_pending_compare),
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
    .write_tag(engine_write_tag),
    .write_data(engine_write_data),
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
    .large_write(engine_large_write),
    .large_low(engine_large_low),
    .large_huge(engine_large_huge),
    .large_read(engine_large_read),
    .large_write_right(engine_large_write_right),
    .large_exec(engine_large_exec),
    .large_data(engine_large_data)
  );

  // e0: the RAMs are read.
  assign set = lookup_key_iova[17:12];
  assign clash = set == engine_write_set;
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
  // e1: partial compares with the pending invalidation.
  assign s2_valid_d = s1_valid_q & (~reset);
  assign s2_slot_d = s1_slot_q;
  assign s2_iova_d = s1_iova_q[29:0];
  assign s2_epoch_d = engine_epoch;
  assign s2_clearing_d = ~engine_cleared;
  assign s2_function_pending_d = engine_pending_valid & (s1_function_q == engine_pending_function);
  assign s2_everywhere_d = engine_pending_all | ((~engine_pending_pasid_valid) & s1_pasid_valid_q);
  assign s2_scope_d = (~engine_pending_pasid_valid) | s1_pasid_valid_q;
  assign s2_pasid_pending_d = (s1_pasid_q == engine_pending_pasid) | engine_pending_any_pasid;
  assign s2_differs_0_d = |((s1_iova_q[24:12] ^ engine_pending_granule[12:0]) & engine_pending_compare[12:0]);
  assign s2_differs_1_d = |((s1_iova_q[37:25] ^ engine_pending_granule[25:13]) & engine_pending_compare[25:13]);
  assign s2_differs_2_d = |((s1_iova_q[50:38] ^ engine_pending_granule[38:26]) & engine_pending_compare[38:26]);
  assign s2_differs_3_d = |((s1_iova_q[63:51] ^ engine_pending_granule[51:39]) & engine_pending_compare[51:39]);
  // e2: pending or not.
  assign s3_valid_d = s2_valid_q & (~reset);
  assign s3_slot_d = s2_slot_q;
  assign s3_epoch_d = s2_epoch_q;
  assign s3_iova_d = s2_iova_q;
  assign held_off = (s2_scope_q & s2_pasid_pending_q) & (~(((s2_differs_0_q | s2_differs_1_q) | s2_differs_2_q) | s2_differs_3_q));
  assign pending = s2_clearing_q | (s2_function_pending_q & (s2_everywhere_q | held_off));
  assign s3_pending_d = pending;
  assign s3_live_d = s2_valid_q & (~pending);

  always @* begin
    // e3: an AND-OR over the ways and the large-page array, which has masked them if it answers.
    named = 4'h0;
    named = (named & (~(4'h1 << 0))) | ({3'h0, way_0_named & way_0_sound} << 0);
    named = (named & (~(4'h1 << 1))) | ({3'h0, way_1_named & way_1_sound} << 1);
    named = (named & (~(4'h1 << 2))) | ({3'h0, way_2_named & way_2_sound} << 2);
    named = (named & (~(4'h1 << 3))) | ({3'h0, way_3_named & way_3_sound} << 3);
  end

  always @* begin
    hits = 4'h0;
    large_address = 52'h0;
    untranslated = 1'b0;
    no_snoop = 1'b0;
    if (large_hit) begin
      large_address = {48'h0, s3_iova_q[15:12]} | ({4'h0, large_word[47:0]} << 4);
      untranslated = large_word[50];
      no_snoop = large_word[51];
    end
    if (large_hit & large_word[48]) begin
      large_address = large_address | {43'h0, s3_iova_q[20:12]};
    end
    if (large_hit & large_word[49]) begin
      large_address = large_address | {34'h0, s3_iova_q[29:12]};
    end
    address = large_address;
    hits = (hits & (~(4'h1 << 0))) | ({3'h0, (way_0_named & way_0_good) & s3_live_q} << 0);
    if (hits[0]) begin
      address = address | way_0_address;
      untranslated = untranslated | way_0_untranslated;
      no_snoop = no_snoop | way_0_no_snoop;
    end
    hits = (hits & (~(4'h1 << 1))) | ({3'h0, (way_1_named & way_1_good) & s3_live_q} << 1);
    if (hits[1]) begin
      address = address | way_1_address;
      untranslated = untranslated | way_1_untranslated;
      no_snoop = no_snoop | way_1_no_snoop;
    end
    hits = (hits & (~(4'h1 << 2))) | ({3'h0, (way_2_named & way_2_good) & s3_live_q} << 2);
    if (hits[2]) begin
      address = address | way_2_address;
      untranslated = untranslated | way_2_untranslated;
      no_snoop = no_snoop | way_2_no_snoop;
    end
    hits = (hits & (~(4'h1 << 3))) | ({3'h0, (way_3_named & way_3_good) & s3_live_q} << 3);
    if (hits[3]) begin
      address = address | way_3_address;
      untranslated = untranslated | way_3_untranslated;
      no_snoop = no_snoop | way_3_no_snoop;
    end
  end

  always @* begin
    odd = 1'b0;
    odd = odd | (way_0_valid & (~way_0_sound));
    odd = odd | (way_1_valid & (~way_1_sound));
    odd = odd | (way_2_valid & (~way_2_sound));
    odd = odd | (way_3_valid & (~way_3_sound));
  end

  assign large_word = big_data;
  assign large_hit = big_hit & s3_live_q;
  assign hit = large_hit | (|hits);

  always @* begin
    whole = {12'h0, address} << 12;
    if (hit) begin
      whole = whole | {52'h0, s3_iova_q[11:0]};
    end
  end

  always @* begin
    r_valid_d = s3_valid_q;
    r_slot_d = s3_slot_q;
    r_epoch_d = s3_epoch_q;
    r_hit_d = hit;
    r_address_d = whole;
    r_untranslated_d = untranslated;
    r_no_snoop_d = no_snoop;
    r_odd_d = odd & s3_valid_q;
    if (~s3_valid_q) begin
      r_slot_d = 5'h0;
      r_epoch_d = 4'h0;
    end
    // e4: statistics, and the use of the way.
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

  assign r_large_d = large_hit;
  assign r_named_d = big_named | (|named);
  assign r_pending_d = s3_pending_q;
  assign r_ways_d = hits;
  assign r_set_d = s3_iova_q[17:12];
  assign r_order_d = order_lookup_order;
  assign order_reset = reset;
  assign order_lookup_set = set;
  assign order_engine_set = engine_set;
  assign order_clear_en = engine_order_clear;
  assign order_clear_set = engine_set;

  always @* begin
    order_touch_en = r_hit_q & (~r_large_q);
    order_touch_set = r_set_q;
    order_touch_ways = r_ways_q;
    order_touch_order = r_order_q;
    if (engine_order_touch) begin
      order_touch_en = 1'b1;
      order_touch_set = engine_set;
      order_touch_ways = engine_write_valid;
      order_touch_order = order_engine_order;
    end
  end

  always @* begin
    // Arrays and engine.
    rivals = 4'h0;
    rivals = (rivals & (~(4'h1 << 0))) | ({3'h0, way_0_rival} << 0);
    rivals = (rivals & (~(4'h1 << 1))) | ({3'h0, way_1_rival} << 1);
    rivals = (rivals & (~(4'h1 << 2))) | ({3'h0, way_2_rival} << 2);
    rivals = (rivals & (~(4'h1 << 3))) | ({3'h0, way_3_rival} << 3);
  end

  always @* begin
    frees = 4'h0;
    frees = (frees & (~(4'h1 << 0))) | ({3'h0, way_0_free} << 0);
    frees = (frees & (~(4'h1 << 1))) | ({3'h0, way_1_free} << 1);
    frees = (frees & (~(4'h1 << 2))) | ({3'h0, way_2_free} << 2);
    frees = (frees & (~(4'h1 << 3))) | ({3'h0, way_3_free} << 3);
  end

  always @* begin
    drops = 4'h0;
    drops = (drops & (~(4'h1 << 0))) | ({3'h0, way_0_drop} << 0);
    drops = (drops & (~(4'h1 << 1))) | ({3'h0, way_1_drop} << 1);
    drops = (drops & (~(4'h1 << 2))) | ({3'h0, way_2_drop} << 2);
    drops = (drops & (~(4'h1 << 3))) | ({3'h0, way_3_drop} << 3);
  end

  assign way_0_lookup_set = set;
  assign way_0_lookup_clash = clash;
  assign way_0_asked_granule = s1_iova_q[63:12];
  assign way_0_asked_function = s1_function_q;
  assign way_0_asked_generation = generation_rd0_data;
  assign way_0_asked_pasid = s1_pasid_q;
  assign way_0_asked_pasid_valid = s1_pasid_valid_q;
  assign way_0_asked_privileged = s1_privileged_q;
  assign way_0_asked_read = s1_read_q;
  assign way_0_asked_write = s1_write_q;
  assign way_0_asked_exec = s1_exec_q;
  assign way_0_asked_elsewhere = big_early_hit;
  assign way_0_engine_set = engine_set;
  assign way_0_key_granule = engine_key_granule;
  assign way_0_key_compare = engine_key_compare;
  assign way_0_key_function = engine_key_function;
  assign way_0_key_generation = engine_key_generation;
  assign way_0_key_pasid = engine_key_pasid;
  assign way_0_key_pasid_valid = engine_key_pasid_valid;
  assign way_0_key_privileged = engine_key_privileged;
  assign way_0_key_global = engine_key_global;
  assign way_0_key_any_pasid = engine_key_any_pasid;
  assign way_0_key_all = engine_key_all;
  assign way_0_write_en = engine_write_ways[0];
  assign way_0_write_set = engine_write_set;
  assign way_0_write_valid = engine_write_valid[0];
  assign way_0_write_tag = engine_write_tag;
  assign way_0_write_data = engine_write_data;
  assign way_1_lookup_set = set;
  assign way_1_lookup_clash = clash;
  assign way_1_asked_granule = s1_iova_q[63:12];
  assign way_1_asked_function = s1_function_q;
  assign way_1_asked_generation = generation_rd0_data;
  assign way_1_asked_pasid = s1_pasid_q;
  assign way_1_asked_pasid_valid = s1_pasid_valid_q;
  assign way_1_asked_privileged = s1_privileged_q;
  assign way_1_asked_read = s1_read_q;
  assign way_1_asked_write = s1_write_q;
  assign way_1_asked_exec = s1_exec_q;
  assign way_1_asked_elsewhere = big_early_hit;
  assign way_1_engine_set = engine_set;
  assign way_1_key_granule = engine_key_granule;
  assign way_1_key_compare = engine_key_compare;
  assign way_1_key_function = engine_key_function;
  assign way_1_key_generation = engine_key_generation;
  assign way_1_key_pasid = engine_key_pasid;
  assign way_1_key_pasid_valid = engine_key_pasid_valid;
  assign way_1_key_privileged = engine_key_privileged;
  assign way_1_key_global = engine_key_global;
  assign way_1_key_any_pasid = engine_key_any_pasid;
  assign way_1_key_all = engine_key_all;
  assign way_1_write_en = engine_write_ways[1];
  assign way_1_write_set = engine_write_set;
  assign way_1_write_valid = engine_write_valid[1];
  assign way_1_write_tag = engine_write_tag;
  assign way_1_write_data = engine_write_data;
  assign way_2_lookup_set = set;
  assign way_2_lookup_clash = clash;
  assign way_2_asked_granule = s1_iova_q[63:12];
  assign way_2_asked_function = s1_function_q;
  assign way_2_asked_generation = generation_rd0_data;
  assign way_2_asked_pasid = s1_pasid_q;
  assign way_2_asked_pasid_valid = s1_pasid_valid_q;
  assign way_2_asked_privileged = s1_privileged_q;
  assign way_2_asked_read = s1_read_q;
  assign way_2_asked_write = s1_write_q;
  assign way_2_asked_exec = s1_exec_q;
  assign way_2_asked_elsewhere = big_early_hit;
  assign way_2_engine_set = engine_set;
  assign way_2_key_granule = engine_key_granule;
  assign way_2_key_compare = engine_key_compare;
  assign way_2_key_function = engine_key_function;
  assign way_2_key_generation = engine_key_generation;
  assign way_2_key_pasid = engine_key_pasid;
  assign way_2_key_pasid_valid = engine_key_pasid_valid;
  assign way_2_key_privileged = engine_key_privileged;
  assign way_2_key_global = engine_key_global;
  assign way_2_key_any_pasid = engine_key_any_pasid;
  assign way_2_key_all = engine_key_all;
  assign way_2_write_en = engine_write_ways[2];
  assign way_2_write_set = engine_write_set;
  assign way_2_write_valid = engine_write_valid[2];
  assign way_2_write_tag = engine_write_tag;
  assign way_2_write_data = engine_write_data;
  assign way_3_lookup_set = set;
  assign way_3_lookup_clash = clash;
  assign way_3_asked_granule = s1_iova_q[63:12];
  assign way_3_asked_function = s1_function_q;
  assign way_3_asked_generation = generation_rd0_data;
  assign way_3_asked_pasid = s1_pasid_q;
  assign way_3_asked_pasid_valid = s1_pasid_valid_q;
  assign way_3_asked_privileged = s1_privileged_q;
  assign way_3_asked_read = s1_read_q;
  assign way_3_asked_write = s1_write_q;
  assign way_3_asked_exec = s1_exec_q;
  assign way_3_asked_elsewhere = big_early_hit;
  assign way_3_engine_set = engine_set;
  assign way_3_key_granule = engine_key_granule;
  assign way_3_key_compare = engine_key_compare;
  assign way_3_key_function = engine_key_function;
  assign way_3_key_generation = engine_key_generation;
  assign way_3_key_pasid = engine_key_pasid;
  assign way_3_key_pasid_valid = engine_key_pasid_valid;
  assign way_3_key_privileged = engine_key_privileged;
  assign way_3_key_global = engine_key_global;
  assign way_3_key_any_pasid = engine_key_any_pasid;
  assign way_3_key_all = engine_key_all;
  assign way_3_write_en = engine_write_ways[3];
  assign way_3_write_set = engine_write_set;
  assign way_3_write_valid = engine_write_valid[3];
  assign way_3_write_tag = engine_write_tag;
  assign way_3_write_data = engine_write_data;
  assign generation_rd1_en = 1'b1;
  assign generation_rd1_addr = engine_key_function;
  assign generation_wr_en = engine_generation_write;
  assign generation_wr_addr = engine_generation_function;
  assign generation_wr_data = engine_generation_value;
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
  assign big_key_low = engine_large_low;
  assign big_key_huge = engine_large_huge;
  assign big_key_function = engine_key_function;
  assign big_key_pasid = engine_key_pasid;
  assign big_key_pasid_valid = engine_key_pasid_valid;
  assign big_key_privileged = engine_key_privileged;
  assign big_key_global = engine_key_global;
  assign big_key_any_pasid = engine_key_any_pasid;
  assign big_key_all = engine_key_all;
  assign big_fill_read = engine_large_read;
  assign big_fill_write = engine_large_write_right;
  assign big_fill_exec = engine_large_exec;
  assign big_fill_data = engine_large_data;
  assign engine_reset = reset;
  assign engine_fill_valid = fill_valid;
  assign engine_fill_function = fill_key_function;
  assign engine_fill_pasid_valid = fill_key_pasid_valid;
  assign engine_fill_pasid = fill_key_pasid_value;
  assign engine_fill_privileged = fill_key_pasid_priv;
  assign engine_fill_granule = fill_key_iova[63:12];
  assign engine_fill_address = fill_address[63:12];
  assign engine_fill_size = fill_size_log2;
  assign engine_fill_read = fill_read;
  assign engine_fill_write = fill_write;
  assign engine_fill_exec = fill_exec;
  assign engine_fill_global = fill_global;
  assign engine_fill_untranslated = fill_untranslated;
  assign engine_fill_no_snoop = fill_no_snoop;
  assign engine_fill_flip = inject_parity;
  assign engine_invalidate_valid = invalidate_valid;
  assign engine_invalidate_function = invalidate_function;
  assign engine_invalidate_pasid_valid = invalidate_pasid_valid;
  assign engine_invalidate_pasid = invalidate_pasid_value;
  assign engine_invalidate_global = invalidate_global;
  assign engine_invalidate_all = invalidate_all;
  assign engine_invalidate_granule = invalidate_iova[63:12];
  assign engine_invalidate_size = invalidate_size_log2;
  assign engine_rivals = rivals;
  assign engine_frees = frees;
  assign engine_drops = drops;
  assign engine_order = order_engine_order;
  assign engine_generation_read = generation_rd1_data;
  assign engine_large_walking = big_walking;
  assign engine_large_evicts = big_evicts;
  assign result_valid = r_valid_q;
  assign result_slot = r_slot_q;
  assign result_hit = r_hit_q;
  assign result_address = r_address_q;
  assign result_untranslated = r_untranslated_q;
  assign result_no_snoop = r_no_snoop_q;
  assign result_epoch = r_epoch_q;
  assign fill_ready = engine_fill_ready;
  assign fill_done = engine_fill_done;
  assign invalidate_ready = engine_invalidate_ready;
  assign invalidate_done = engine_invalidate_done;
  assign stat_hit_base = o_hit_base_q;
  assign stat_hit_large = o_hit_large_q;
  assign stat_miss = o_miss_q;
  assign stat_miss_permission = o_miss_permission_q;
  assign stat_miss_pending = o_miss_pending_q;
  assign stat_parity = o_parity_q;
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
    s2_clearing_q <= s2_clearing_d;
    s2_function_pending_q <= s2_function_pending_d;
    s2_everywhere_q <= s2_everywhere_d;
    s2_scope_q <= s2_scope_d;
    s2_pasid_pending_q <= s2_pasid_pending_d;
    s2_differs_0_q <= s2_differs_0_d;
    s2_differs_1_q <= s2_differs_1_d;
    s2_differs_2_q <= s2_differs_2_d;
    s2_differs_3_q <= s2_differs_3_d;
    s3_valid_q <= s3_valid_d;
    s3_live_q <= s3_live_d;
    s3_slot_q <= s3_slot_d;
    s3_epoch_q <= s3_epoch_d;
    s3_pending_q <= s3_pending_d;
    s3_iova_q <= s3_iova_d;
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
    r_ways_q <= r_ways_d;
    r_set_q <= r_set_d;
    r_order_q <= r_order_d;
    o_hit_base_q <= o_hit_base_d;
    o_hit_large_q <= o_hit_large_d;
    o_miss_q <= o_miss_d;
    o_miss_permission_q <= o_miss_permission_d;
    o_miss_pending_q <= o_miss_pending_d;
    o_parity_q <= o_parity_d;
  end
endmodule

`default_nettype wire
