// rnic_xlat_atc_large_f2_n16: large-page array of the ATC, fully associative
//
// rnic-xlat 0.1.0, configuration small
// Parameters: F = 2, N = 16
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_atc_large_f2_n16 (
  input  wire        clock,
  input  wire        reset,

  // Lookup sampled at this edge
  input  wire [47:0] lookup_iova,
  input  wire [1:0]  lookup_function,
  input  wire [19:0] lookup_pasid,
  input  wire        lookup_pasid_valid,
  input  wire        lookup_privileged,
  input  wire        lookup_read,
  input  wire        lookup_write,
  input  wire        lookup_exec,

  // What the array says; data three edges after the lookup
  output wire        early_hit,
  output wire        hit,
  output wire        named,
  output wire [51:0] data,

  // Engine: steps of a fill or an invalidation
  input  wire        walk,
  input  wire        filling,
  output wire        walking,
  input  wire        pick,
  output wire        evicts,
  input  wire        write,

  // Engine: key of the fill or the invalidation
  input  wire [47:0] key_iova,
  input  wire [47:0] key_compare,
  input  wire        key_low,
  input  wire        key_huge,
  input  wire [1:0]  key_function,
  input  wire [19:0] key_pasid,
  input  wire        key_pasid_valid,
  input  wire        key_privileged,
  input  wire        key_global,
  input  wire        key_any_pasid,
  input  wire        key_all,

  // Engine: entry to write
  input  wire        fill_read,
  input  wire        fill_write,
  input  wire        fill_exec,
  input  wire [51:0] fill_data
);

  // Constants
  localparam [3:0] numbers_0 = 4'h0;
  localparam [3:0] numbers_1 = 4'h1;
  localparam [3:0] numbers_2 = 4'h2;
  localparam [3:0] numbers_3 = 4'h3;
  localparam [3:0] numbers_4 = 4'h4;
  localparam [3:0] numbers_5 = 4'h5;
  localparam [3:0] numbers_6 = 4'h6;
  localparam [3:0] numbers_7 = 4'h7;
  localparam [3:0] numbers_8 = 4'h8;
  localparam [3:0] numbers_9 = 4'h9;
  localparam [3:0] numbers_10 = 4'ha;
  localparam [3:0] numbers_11 = 4'hb;
  localparam [3:0] numbers_12 = 4'hc;
  localparam [3:0] numbers_13 = 4'hd;
  localparam [3:0] numbers_14 = 4'he;
  localparam [3:0] numbers_15 = 4'hf;
  localparam [3:0] last = 4'hf;

  // Signals
  reg  [3:0]  which;
  reg         any_hit;
  reg         any_named;
  reg         looked;
  reg  [75:0] word;
  wire [75:0] seen;
  wire        middle;
  wire        low;
  wire        overlap;
  reg         removed;
  wire        clear;
  reg  [3:0]  at;
  wire        entry_0_reset;
  wire [3:0]  entry_0_number;
  wire [47:0] entry_0_lookup_iova;
  wire [1:0]  entry_0_lookup_function;
  wire [19:0] entry_0_lookup_pasid;
  wire        entry_0_lookup_pasid_valid;
  wire        entry_0_lookup_privileged;
  wire        entry_0_lookup_read;
  wire        entry_0_lookup_write;
  wire        entry_0_lookup_exec;
  wire        entry_0_named;
  wire        entry_0_hit;
  wire [3:0]  entry_0_look;
  wire        entry_0_looked_valid;
  wire        entry_0_clear;
  wire [3:0]  entry_0_at;
  wire        entry_0_write;
  wire [3:0]  entry_0_target;
  wire [47:0] entry_0_tag_iova;
  wire        entry_0_tag_low;
  wire        entry_0_tag_huge;
  wire [1:0]  entry_0_tag_function;
  wire [19:0] entry_0_tag_pasid;
  wire        entry_0_tag_pasid_valid;
  wire        entry_0_tag_privileged;
  wire        entry_0_tag_any_pasid;
  wire        entry_0_tag_read;
  wire        entry_0_tag_write;
  wire        entry_0_tag_exec;
  wire        entry_1_reset;
  wire [3:0]  entry_1_number;
  wire [47:0] entry_1_lookup_iova;
  wire [1:0]  entry_1_lookup_function;
  wire [19:0] entry_1_lookup_pasid;
  wire        entry_1_lookup_pasid_valid;
  wire        entry_1_lookup_privileged;
  wire        entry_1_lookup_read;
  wire        entry_1_lookup_write;
  wire        entry_1_lookup_exec;
  wire        entry_1_named;
  wire        entry_1_hit;
  wire [3:0]  entry_1_look;
  wire        entry_1_looked_valid;
  wire        entry_1_clear;
  wire [3:0]  entry_1_at;
  wire        entry_1_write;
  wire [3:0]  entry_1_target;
  wire [47:0] entry_1_tag_iova;
  wire        entry_1_tag_low;
  wire        entry_1_tag_huge;
  wire [1:0]  entry_1_tag_function;
  wire [19:0] entry_1_tag_pasid;
  wire        entry_1_tag_pasid_valid;
  wire        entry_1_tag_privileged;
  wire        entry_1_tag_any_pasid;
  wire        entry_1_tag_read;
  wire        entry_1_tag_write;
  wire        entry_1_tag_exec;
  wire        entry_2_reset;
  wire [3:0]  entry_2_number;
  wire [47:0] entry_2_lookup_iova;
  wire [1:0]  entry_2_lookup_function;
  wire [19:0] entry_2_lookup_pasid;
  wire        entry_2_lookup_pasid_valid;
  wire        entry_2_lookup_privileged;
  wire        entry_2_lookup_read;
  wire        entry_2_lookup_write;
  wire        entry_2_lookup_exec;
  wire        entry_2_named;
  wire        entry_2_hit;
  wire [3:0]  entry_2_look;
  wire        entry_2_looked_valid;
  wire        entry_2_clear;
  wire [3:0]  entry_2_at;
  wire        entry_2_write;
  wire [3:0]  entry_2_target;
  wire [47:0] entry_2_tag_iova;
  wire        entry_2_tag_low;
  wire        entry_2_tag_huge;
  wire [1:0]  entry_2_tag_function;
  wire [19:0] entry_2_tag_pasid;
  wire        entry_2_tag_pasid_valid;
  wire        entry_2_tag_privileged;
  wire        entry_2_tag_any_pasid;
  wire        entry_2_tag_read;
  wire        entry_2_tag_write;
  wire        entry_2_tag_exec;
  wire        entry_3_reset;
  wire [3:0]  entry_3_number;
  wire [47:0] entry_3_lookup_iova;
  wire [1:0]  entry_3_lookup_function;
  wire [19:0] entry_3_lookup_pasid;
  wire        entry_3_lookup_pasid_valid;
  wire        entry_3_lookup_privileged;
  wire        entry_3_lookup_read;
  wire        entry_3_lookup_write;
  wire        entry_3_lookup_exec;
  wire        entry_3_named;
  wire        entry_3_hit;
  wire [3:0]  entry_3_look;
  wire        entry_3_looked_valid;
  wire        entry_3_clear;
  wire [3:0]  entry_3_at;
  wire        entry_3_write;
  wire [3:0]  entry_3_target;
  wire [47:0] entry_3_tag_iova;
  wire        entry_3_tag_low;
  wire        entry_3_tag_huge;
  wire [1:0]  entry_3_tag_function;
  wire [19:0] entry_3_tag_pasid;
  wire        entry_3_tag_pasid_valid;
  wire        entry_3_tag_privileged;
  wire        entry_3_tag_any_pasid;
  wire        entry_3_tag_read;
  wire        entry_3_tag_write;
  wire        entry_3_tag_exec;
  wire        entry_4_reset;
  wire [3:0]  entry_4_number;
  wire [47:0] entry_4_lookup_iova;
  wire [1:0]  entry_4_lookup_function;
  wire [19:0] entry_4_lookup_pasid;
  wire        entry_4_lookup_pasid_valid;
  wire        entry_4_lookup_privileged;
  wire        entry_4_lookup_read;
  wire        entry_4_lookup_write;
  wire        entry_4_lookup_exec;
  wire        entry_4_named;
  wire        entry_4_hit;
  wire [3:0]  entry_4_look;
  wire        entry_4_looked_valid;
  wire        entry_4_clear;
  wire [3:0]  entry_4_at;
  wire        entry_4_write;
  wire [3:0]  entry_4_target;
  wire [47:0] entry_4_tag_iova;
  wire        entry_4_tag_low;
  wire        entry_4_tag_huge;
  wire [1:0]  entry_4_tag_function;
  wire [19:0] entry_4_tag_pasid;
  wire        entry_4_tag_pasid_valid;
  wire        entry_4_tag_privileged;
  wire        entry_4_tag_any_pasid;
  wire        entry_4_tag_read;
  wire        entry_4_tag_write;
  wire        entry_4_tag_exec;
  wire        entry_5_reset;
  wire [3:0]  entry_5_number;
  wire [47:0] entry_5_lookup_iova;
  wire [1:0]  entry_5_lookup_function;
  wire [19:0] entry_5_lookup_pasid;
  wire        entry_5_lookup_pasid_valid;
  wire        entry_5_lookup_privileged;
  wire        entry_5_lookup_read;
  wire        entry_5_lookup_write;
  wire        entry_5_lookup_exec;
  wire        entry_5_named;
  wire        entry_5_hit;
  wire [3:0]  entry_5_look;
  wire        entry_5_looked_valid;
  wire        entry_5_clear;
  wire [3:0]  entry_5_at;
  wire        entry_5_write;
  wire [3:0]  entry_5_target;
  wire [47:0] entry_5_tag_iova;
  wire        entry_5_tag_low;
  wire        entry_5_tag_huge;
  wire [1:0]  entry_5_tag_function;
  wire [19:0] entry_5_tag_pasid;
  wire        entry_5_tag_pasid_valid;
  wire        entry_5_tag_privileged;
  wire        entry_5_tag_any_pasid;
  wire        entry_5_tag_read;
  wire        entry_5_tag_write;
  wire        entry_5_tag_exec;
  wire        entry_6_reset;
  wire [3:0]  entry_6_number;
  wire [47:0] entry_6_lookup_iova;
  wire [1:0]  entry_6_lookup_function;
  wire [19:0] entry_6_lookup_pasid;
  wire        entry_6_lookup_pasid_valid;
  wire        entry_6_lookup_privileged;
  wire        entry_6_lookup_read;
  wire        entry_6_lookup_write;
  wire        entry_6_lookup_exec;
  wire        entry_6_named;
  wire        entry_6_hit;
  wire [3:0]  entry_6_look;
  wire        entry_6_looked_valid;
  wire        entry_6_clear;
  wire [3:0]  entry_6_at;
  wire        entry_6_write;
  wire [3:0]  entry_6_target;
  wire [47:0] entry_6_tag_iova;
  wire        entry_6_tag_low;
  wire        entry_6_tag_huge;
  wire [1:0]  entry_6_tag_function;
  wire [19:0] entry_6_tag_pasid;
  wire        entry_6_tag_pasid_valid;
  wire        entry_6_tag_privileged;
  wire        entry_6_tag_any_pasid;
  wire        entry_6_tag_read;
  wire        entry_6_tag_write;
  wire        entry_6_tag_exec;
  wire        entry_7_reset;
  wire [3:0]  entry_7_number;
  wire [47:0] entry_7_lookup_iova;
  wire [1:0]  entry_7_lookup_function;
  wire [19:0] entry_7_lookup_pasid;
  wire        entry_7_lookup_pasid_valid;
  wire        entry_7_lookup_privileged;
  wire        entry_7_lookup_read;
  wire        entry_7_lookup_write;
  wire        entry_7_lookup_exec;
  wire        entry_7_named;
  wire        entry_7_hit;
  wire [3:0]  entry_7_look;
  wire        entry_7_looked_valid;
  wire        entry_7_clear;
  wire [3:0]  entry_7_at;
  wire        entry_7_write;
  wire [3:0]  entry_7_target;
  wire [47:0] entry_7_tag_iova;
  wire        entry_7_tag_low;
  wire        entry_7_tag_huge;
  wire [1:0]  entry_7_tag_function;
  wire [19:0] entry_7_tag_pasid;
  wire        entry_7_tag_pasid_valid;
  wire        entry_7_tag_privileged;
  wire        entry_7_tag_any_pasid;
  wire        entry_7_tag_read;
  wire        entry_7_tag_write;
  wire        entry_7_tag_exec;
  wire        entry_8_reset;
  wire [3:0]  entry_8_number;
  wire [47:0] entry_8_lookup_iova;
  wire [1:0]  entry_8_lookup_function;
  wire [19:0] entry_8_lookup_pasid;
  wire        entry_8_lookup_pasid_valid;
  wire        entry_8_lookup_privileged;
  wire        entry_8_lookup_read;
  wire        entry_8_lookup_write;
  wire        entry_8_lookup_exec;
  wire        entry_8_named;
  wire        entry_8_hit;
  wire [3:0]  entry_8_look;
  wire        entry_8_looked_valid;
  wire        entry_8_clear;
  wire [3:0]  entry_8_at;
  wire        entry_8_write;
  wire [3:0]  entry_8_target;
  wire [47:0] entry_8_tag_iova;
  wire        entry_8_tag_low;
  wire        entry_8_tag_huge;
  wire [1:0]  entry_8_tag_function;
  wire [19:0] entry_8_tag_pasid;
  wire        entry_8_tag_pasid_valid;
  wire        entry_8_tag_privileged;
  wire        entry_8_tag_any_pasid;
  wire        entry_8_tag_read;
  wire        entry_8_tag_write;
  wire        entry_8_tag_exec;
  wire        entry_9_reset;
  wire [3:0]  entry_9_number;
  wire [47:0] entry_9_lookup_iova;
  wire [1:0]  entry_9_lookup_function;
  wire [19:0] entry_9_lookup_pasid;
  wire        entry_9_lookup_pasid_valid;
  wire        entry_9_lookup_privileged;
  wire        entry_9_lookup_read;
  wire        entry_9_lookup_write;
  wire        entry_9_lookup_exec;
  wire        entry_9_named;
  wire        entry_9_hit;
  wire [3:0]  entry_9_look;
  wire        entry_9_looked_valid;
  wire        entry_9_clear;
  wire [3:0]  entry_9_at;
  wire        entry_9_write;
  wire [3:0]  entry_9_target;
  wire [47:0] entry_9_tag_iova;
  wire        entry_9_tag_low;
  wire        entry_9_tag_huge;
  wire [1:0]  entry_9_tag_function;
  wire [19:0] entry_9_tag_pasid;
  wire        entry_9_tag_pasid_valid;
  wire        entry_9_tag_privileged;
  wire        entry_9_tag_any_pasid;
  wire        entry_9_tag_read;
  wire        entry_9_tag_write;
  wire        entry_9_tag_exec;
  wire        entry_10_reset;
  wire [3:0]  entry_10_number;
  wire [47:0] entry_10_lookup_iova;
  wire [1:0]  entry_10_lookup_function;
  wire [19:0] entry_10_lookup_pasid;
  wire        entry_10_lookup_pasid_valid;
  wire        entry_10_lookup_privileged;
  wire        entry_10_lookup_read;
  wire        entry_10_lookup_write;
  wire        entry_10_lookup_exec;
  wire        entry_10_named;
  wire        entry_10_hit;
  wire [3:0]  entry_10_look;
  wire        entry_10_looked_valid;
  wire        entry_10_clear;
  wire [3:0]  entry_10_at;
  wire        entry_10_write;
  wire [3:0]  entry_10_target;
  wire [47:0] entry_10_tag_iova;
  wire        entry_10_tag_low;
  wire        entry_10_tag_huge;
  wire [1:0]  entry_10_tag_function;
  wire [19:0] entry_10_tag_pasid;
  wire        entry_10_tag_pasid_valid;
  wire        entry_10_tag_privileged;
  wire        entry_10_tag_any_pasid;
  wire        entry_10_tag_read;
  wire        entry_10_tag_write;
  wire        entry_10_tag_exec;
  wire        entry_11_reset;
  wire [3:0]  entry_11_number;
  wire [47:0] entry_11_lookup_iova;
  wire [1:0]  entry_11_lookup_function;
  wire [19:0] entry_11_lookup_pasid;
  wire        entry_11_lookup_pasid_valid;
  wire        entry_11_lookup_privileged;
  wire        entry_11_lookup_read;
  wire        entry_11_lookup_write;
  wire        entry_11_lookup_exec;
  wire        entry_11_named;
  wire        entry_11_hit;
  wire [3:0]  entry_11_look;
  wire        entry_11_looked_valid;
  wire        entry_11_clear;
  wire [3:0]  entry_11_at;
  wire        entry_11_write;
  wire [3:0]  entry_11_target;
  wire [47:0] entry_11_tag_iova;
  wire        entry_11_tag_low;
  wire        entry_11_tag_huge;
  wire [1:0]  entry_11_tag_function;
  wire [19:0] entry_11_tag_pasid;
  wire        entry_11_tag_pasid_valid;
  wire        entry_11_tag_privileged;
  wire        entry_11_tag_any_pasid;
  wire        entry_11_tag_read;
  wire        entry_11_tag_write;
  wire        entry_11_tag_exec;
  wire        entry_12_reset;
  wire [3:0]  entry_12_number;
  wire [47:0] entry_12_lookup_iova;
  wire [1:0]  entry_12_lookup_function;
  wire [19:0] entry_12_lookup_pasid;
  wire        entry_12_lookup_pasid_valid;
  wire        entry_12_lookup_privileged;
  wire        entry_12_lookup_read;
  wire        entry_12_lookup_write;
  wire        entry_12_lookup_exec;
  wire        entry_12_named;
  wire        entry_12_hit;
  wire [3:0]  entry_12_look;
  wire        entry_12_looked_valid;
  wire        entry_12_clear;
  wire [3:0]  entry_12_at;
  wire        entry_12_write;
  wire [3:0]  entry_12_target;
  wire [47:0] entry_12_tag_iova;
  wire        entry_12_tag_low;
  wire        entry_12_tag_huge;
  wire [1:0]  entry_12_tag_function;
  wire [19:0] entry_12_tag_pasid;
  wire        entry_12_tag_pasid_valid;
  wire        entry_12_tag_privileged;
  wire        entry_12_tag_any_pasid;
  wire        entry_12_tag_read;
  wire        entry_12_tag_write;
  wire        entry_12_tag_exec;
  wire        entry_13_reset;
  wire [3:0]  entry_13_number;
  wire [47:0] entry_13_lookup_iova;
  wire [1:0]  entry_13_lookup_function;
  wire [19:0] entry_13_lookup_pasid;
  wire        entry_13_lookup_pasid_valid;
  wire        entry_13_lookup_privileged;
  wire        entry_13_lookup_read;
  wire        entry_13_lookup_write;
  wire        entry_13_lookup_exec;
  wire        entry_13_named;
  wire        entry_13_hit;
  wire [3:0]  entry_13_look;
  wire        entry_13_looked_valid;
  wire        entry_13_clear;
  wire [3:0]  entry_13_at;
  wire        entry_13_write;
  wire [3:0]  entry_13_target;
  wire [47:0] entry_13_tag_iova;
  wire        entry_13_tag_low;
  wire        entry_13_tag_huge;
  wire [1:0]  entry_13_tag_function;
  wire [19:0] entry_13_tag_pasid;
  wire        entry_13_tag_pasid_valid;
  wire        entry_13_tag_privileged;
  wire        entry_13_tag_any_pasid;
  wire        entry_13_tag_read;
  wire        entry_13_tag_write;
  wire        entry_13_tag_exec;
  wire        entry_14_reset;
  wire [3:0]  entry_14_number;
  wire [47:0] entry_14_lookup_iova;
  wire [1:0]  entry_14_lookup_function;
  wire [19:0] entry_14_lookup_pasid;
  wire        entry_14_lookup_pasid_valid;
  wire        entry_14_lookup_privileged;
  wire        entry_14_lookup_read;
  wire        entry_14_lookup_write;
  wire        entry_14_lookup_exec;
  wire        entry_14_named;
  wire        entry_14_hit;
  wire [3:0]  entry_14_look;
  wire        entry_14_looked_valid;
  wire        entry_14_clear;
  wire [3:0]  entry_14_at;
  wire        entry_14_write;
  wire [3:0]  entry_14_target;
  wire [47:0] entry_14_tag_iova;
  wire        entry_14_tag_low;
  wire        entry_14_tag_huge;
  wire [1:0]  entry_14_tag_function;
  wire [19:0] entry_14_tag_pasid;
  wire        entry_14_tag_pasid_valid;
  wire        entry_14_tag_privileged;
  wire        entry_14_tag_any_pasid;
  wire        entry_14_tag_read;
  wire        entry_14_tag_write;
  wire        entry_14_tag_exec;
  wire        entry_15_reset;
  wire [3:0]  entry_15_number;
  wire [47:0] entry_15_lookup_iova;
  wire [1:0]  entry_15_lookup_function;
  wire [19:0] entry_15_lookup_pasid;
  wire        entry_15_lookup_pasid_valid;
  wire        entry_15_lookup_privileged;
  wire        entry_15_lookup_read;
  wire        entry_15_lookup_write;
  wire        entry_15_lookup_exec;
  wire        entry_15_named;
  wire        entry_15_hit;
  wire [3:0]  entry_15_look;
  wire        entry_15_looked_valid;
  wire        entry_15_clear;
  wire [3:0]  entry_15_at;
  wire        entry_15_write;
  wire [3:0]  entry_15_target;
  wire [47:0] entry_15_tag_iova;
  wire        entry_15_tag_low;
  wire        entry_15_tag_huge;
  wire [1:0]  entry_15_tag_function;
  wire [19:0] entry_15_tag_pasid;
  wire        entry_15_tag_pasid_valid;
  wire        entry_15_tag_privileged;
  wire        entry_15_tag_any_pasid;
  wire        entry_15_tag_read;
  wire        entry_15_tag_write;
  wire        entry_15_tag_exec;
  wire        tag_ram_wr_en;
  wire [3:0]  tag_ram_wr_addr;
  wire [75:0] tag_ram_wr_data;
  wire        tag_ram_rd_en;
  wire [3:0]  tag_ram_rd_addr;
  wire [75:0] tag_ram_rd_data;
  wire        data_ram_wr_en;
  wire [3:0]  data_ram_wr_addr;
  wire [51:0] data_ram_wr_data;
  wire        data_ram_rd_en;
  wire [3:0]  data_ram_rd_addr;
  wire [51:0] data_ram_rd_data;
  wire [1:0]  owner_entry_function;
  wire [19:0] owner_entry_pasid;
  wire        owner_entry_pasid_valid;
  wire        owner_entry_privileged;
  wire        owner_entry_global;
  wire        owner_entry_any_pasid;
  wire [1:0]  owner_key_function;
  wire [19:0] owner_key_pasid;
  wire        owner_key_pasid_valid;
  wire        owner_key_privileged;
  wire        owner_key_global;
  wire        owner_key_any_pasid;
  wire        owner_key_all;
  wire        owner_same_function;
  wire        owner_rival;
  wire        owner_everywhere;
  wire        owner_in_range;

  // Registers
  reg  [3:0] number_hit_q = 4'h0;
  wire [3:0] number_hit_d;
  reg        hit_1_q = 1'b0;
  wire       hit_1_d;
  reg        hit_2_q = 1'b0;
  wire       hit_2_d;
  reg        named_1_q = 1'b0;
  wire       named_1_d;
  reg        named_2_q = 1'b0;
  wire       named_2_d;
  reg        active_0_q = 1'b0;
  reg        active_0_d;
  reg        active_1_q = 1'b0;
  wire       active_1_d;
  reg        active_2_q = 1'b0;
  wire       active_2_d;
  reg        active_3_q = 1'b0;
  wire       active_3_d;
  reg  [3:0] index_0_q = 4'h0;
  reg  [3:0] index_0_d;
  reg  [3:0] index_1_q = 4'h0;
  wire [3:0] index_1_d;
  reg  [3:0] index_2_q = 4'h0;
  wire [3:0] index_2_d;
  reg  [3:0] index_3_q = 4'h0;
  wire [3:0] index_3_d;
  reg        differs_top_q = 1'b0;
  wire       differs_top_d;
  reg        differs_high_q = 1'b0;
  wire       differs_high_d;
  reg        differs_rest_q = 1'b0;
  wire       differs_rest_d;
  reg        live_q = 1'b0;
  wire       live_d;
  reg        drop_q = 1'b0;
  wire       drop_d;
  reg        free_q = 1'b0;
  wire       free_d;
  reg        found_q = 1'b0;
  reg        found_d;
  reg  [3:0] target_q = 4'h0;
  reg  [3:0] target_d;
  reg  [3:0] next_victim_q = 4'h0;
  reg  [3:0] next_victim_d;
  reg        picked_q = 1'b0;
  wire       picked_d;
  reg        writing_q = 1'b0;
  wire       writing_d;
  reg        evicting_q = 1'b0;
  reg        evicting_d;

  rnic_xlat_atc_large_entry_f2_al4 entry_0 (
    .clock(clock),
    .reset(entry_0_reset),
    .number(entry_0_number),
    .lookup_iova(entry_0_lookup_iova),
    .lookup_function(entry_0_lookup_function),
    .lookup_pasid(entry_0_lookup_pasid),
    .lookup_pasid_valid(entry_0_lookup_pasid_valid),
    .lookup_privileged(entry_0_lookup_privileged),
    .lookup_read(entry_0_lookup_read),
    .lookup_write(entry_0_lookup_write),
    .lookup_exec(entry_0_lookup_exec),
    .named(entry_0_named),
    .hit(entry_0_hit),
    .look(entry_0_look),
    .looked_valid(entry_0_looked_valid),
    .clear(entry_0_clear),
    .at(entry_0_at),
    .write(entry_0_write),
    .target(entry_0_target),
    .tag_iova(entry_0_tag_iova),
    .tag_low(entry_0_tag_low),
    .tag_huge(entry_0_tag_huge),
    .tag_function(entry_0_tag_function),
    .tag_pasid(entry_0_tag_pasid),
    .tag_pasid_valid(entry_0_tag_pasid_valid),
    .tag_privileged(entry_0_tag_privileged),
    .tag_any_pasid(entry_0_tag_any_pasid),
    .tag_read(entry_0_tag_read),
    .tag_write(entry_0_tag_write),
    .tag_exec(entry_0_tag_exec)
  );

  rnic_xlat_atc_large_entry_f2_al4 entry_1 (
    .clock(clock),
    .reset(entry_1_reset),
    .number(entry_1_number),
    .lookup_iova(entry_1_lookup_iova),
    .lookup_function(entry_1_lookup_function),
    .lookup_pasid(entry_1_lookup_pasid),
    .lookup_pasid_valid(entry_1_lookup_pasid_valid),
    .lookup_privileged(entry_1_lookup_privileged),
    .lookup_read(entry_1_lookup_read),
    .lookup_write(entry_1_lookup_write),
    .lookup_exec(entry_1_lookup_exec),
    .named(entry_1_named),
    .hit(entry_1_hit),
    .look(entry_1_look),
    .looked_valid(entry_1_looked_valid),
    .clear(entry_1_clear),
    .at(entry_1_at),
    .write(entry_1_write),
    .target(entry_1_target),
    .tag_iova(entry_1_tag_iova),
    .tag_low(entry_1_tag_low),
    .tag_huge(entry_1_tag_huge),
    .tag_function(entry_1_tag_function),
    .tag_pasid(entry_1_tag_pasid),
    .tag_pasid_valid(entry_1_tag_pasid_valid),
    .tag_privileged(entry_1_tag_privileged),
    .tag_any_pasid(entry_1_tag_any_pasid),
    .tag_read(entry_1_tag_read),
    .tag_write(entry_1_tag_write),
    .tag_exec(entry_1_tag_exec)
  );

  rnic_xlat_atc_large_entry_f2_al4 entry_2 (
    .clock(clock),
    .reset(entry_2_reset),
    .number(entry_2_number),
    .lookup_iova(entry_2_lookup_iova),
    .lookup_function(entry_2_lookup_function),
    .lookup_pasid(entry_2_lookup_pasid),
    .lookup_pasid_valid(entry_2_lookup_pasid_valid),
    .lookup_privileged(entry_2_lookup_privileged),
    .lookup_read(entry_2_lookup_read),
    .lookup_write(entry_2_lookup_write),
    .lookup_exec(entry_2_lookup_exec),
    .named(entry_2_named),
    .hit(entry_2_hit),
    .look(entry_2_look),
    .looked_valid(entry_2_looked_valid),
    .clear(entry_2_clear),
    .at(entry_2_at),
    .write(entry_2_write),
    .target(entry_2_target),
    .tag_iova(entry_2_tag_iova),
    .tag_low(entry_2_tag_low),
    .tag_huge(entry_2_tag_huge),
    .tag_function(entry_2_tag_function),
    .tag_pasid(entry_2_tag_pasid),
    .tag_pasid_valid(entry_2_tag_pasid_valid),
    .tag_privileged(entry_2_tag_privileged),
    .tag_any_pasid(entry_2_tag_any_pasid),
    .tag_read(entry_2_tag_read),
    .tag_write(entry_2_tag_write),
    .tag_exec(entry_2_tag_exec)
  );

  rnic_xlat_atc_large_entry_f2_al4 entry_3 (
    .clock(clock),
    .reset(entry_3_reset),
    .number(entry_3_number),
    .lookup_iova(entry_3_lookup_iova),
    .lookup_function(entry_3_lookup_function),
    .lookup_pasid(entry_3_lookup_pasid),
    .lookup_pasid_valid(entry_3_lookup_pasid_valid),
    .lookup_privileged(entry_3_lookup_privileged),
    .lookup_read(entry_3_lookup_read),
    .lookup_write(entry_3_lookup_write),
    .lookup_exec(entry_3_lookup_exec),
    .named(entry_3_named),
    .hit(entry_3_hit),
    .look(entry_3_look),
    .looked_valid(entry_3_looked_valid),
    .clear(entry_3_clear),
    .at(entry_3_at),
    .write(entry_3_write),
    .target(entry_3_target),
    .tag_iova(entry_3_tag_iova),
    .tag_low(entry_3_tag_low),
    .tag_huge(entry_3_tag_huge),
    .tag_function(entry_3_tag_function),
    .tag_pasid(entry_3_tag_pasid),
    .tag_pasid_valid(entry_3_tag_pasid_valid),
    .tag_privileged(entry_3_tag_privileged),
    .tag_any_pasid(entry_3_tag_any_pasid),
    .tag_read(entry_3_tag_read),
    .tag_write(entry_3_tag_write),
    .tag_exec(entry_3_tag_exec)
  );

  rnic_xlat_atc_large_entry_f2_al4 entry_4 (
    .clock(clock),
    .reset(entry_4_reset),
    .number(entry_4_number),
    .lookup_iova(entry_4_lookup_iova),
    .lookup_function(entry_4_lookup_function),
    .lookup_pasid(entry_4_lookup_pasid),
    .lookup_pasid_valid(entry_4_lookup_pasid_valid),
    .lookup_privileged(entry_4_lookup_privileged),
    .lookup_read(entry_4_lookup_read),
    .lookup_write(entry_4_lookup_write),
    .lookup_exec(entry_4_lookup_exec),
    .named(entry_4_named),
    .hit(entry_4_hit),
    .look(entry_4_look),
    .looked_valid(entry_4_looked_valid),
    .clear(entry_4_clear),
    .at(entry_4_at),
    .write(entry_4_write),
    .target(entry_4_target),
    .tag_iova(entry_4_tag_iova),
    .tag_low(entry_4_tag_low),
    .tag_huge(entry_4_tag_huge),
    .tag_function(entry_4_tag_function),
    .tag_pasid(entry_4_tag_pasid),
    .tag_pasid_valid(entry_4_tag_pasid_valid),
    .tag_privileged(entry_4_tag_privileged),
    .tag_any_pasid(entry_4_tag_any_pasid),
    .tag_read(entry_4_tag_read),
    .tag_write(entry_4_tag_write),
    .tag_exec(entry_4_tag_exec)
  );

  rnic_xlat_atc_large_entry_f2_al4 entry_5 (
    .clock(clock),
    .reset(entry_5_reset),
    .number(entry_5_number),
    .lookup_iova(entry_5_lookup_iova),
    .lookup_function(entry_5_lookup_function),
    .lookup_pasid(entry_5_lookup_pasid),
    .lookup_pasid_valid(entry_5_lookup_pasid_valid),
    .lookup_privileged(entry_5_lookup_privileged),
    .lookup_read(entry_5_lookup_read),
    .lookup_write(entry_5_lookup_write),
    .lookup_exec(entry_5_lookup_exec),
    .named(entry_5_named),
    .hit(entry_5_hit),
    .look(entry_5_look),
    .looked_valid(entry_5_looked_valid),
    .clear(entry_5_clear),
    .at(entry_5_at),
    .write(entry_5_write),
    .target(entry_5_target),
    .tag_iova(entry_5_tag_iova),
    .tag_low(entry_5_tag_low),
    .tag_huge(entry_5_tag_huge),
    .tag_function(entry_5_tag_function),
    .tag_pasid(entry_5_tag_pasid),
    .tag_pasid_valid(entry_5_tag_pasid_valid),
    .tag_privileged(entry_5_tag_privileged),
    .tag_any_pasid(entry_5_tag_any_pasid),
    .tag_read(entry_5_tag_read),
    .tag_write(entry_5_tag_write),
    .tag_exec(entry_5_tag_exec)
  );

  rnic_xlat_atc_large_entry_f2_al4 entry_6 (
    .clock(clock),
    .reset(entry_6_reset),
    .number(entry_6_number),
    .lookup_iova(entry_6_lookup_iova),
    .lookup_function(entry_6_lookup_function),
    .lookup_pasid(entry_6_lookup_pasid),
    .lookup_pasid_valid(entry_6_lookup_pasid_valid),
    .lookup_privileged(entry_6_lookup_privileged),
    .lookup_read(entry_6_lookup_read),
    .lookup_write(entry_6_lookup_write),
    .lookup_exec(entry_6_lookup_exec),
    .named(entry_6_named),
    .hit(entry_6_hit),
    .look(entry_6_look),
    .looked_valid(entry_6_looked_valid),
    .clear(entry_6_clear),
    .at(entry_6_at),
    .write(entry_6_write),
    .target(entry_6_target),
    .tag_iova(entry_6_tag_iova),
    .tag_low(entry_6_tag_low),
    .tag_huge(entry_6_tag_huge),
    .tag_function(entry_6_tag_function),
    .tag_pasid(entry_6_tag_pasid),
    .tag_pasid_valid(entry_6_tag_pasid_valid),
    .tag_privileged(entry_6_tag_privileged),
    .tag_any_pasid(entry_6_tag_any_pasid),
    .tag_read(entry_6_tag_read),
    .tag_write(entry_6_tag_write),
    .tag_exec(entry_6_tag_exec)
  );

  rnic_xlat_atc_large_entry_f2_al4 entry_7 (
    .clock(clock),
    .reset(entry_7_reset),
    .number(entry_7_number),
    .lookup_iova(entry_7_lookup_iova),
    .lookup_function(entry_7_lookup_function),
    .lookup_pasid(entry_7_lookup_pasid),
    .lookup_pasid_valid(entry_7_lookup_pasid_valid),
    .lookup_privileged(entry_7_lookup_privileged),
    .lookup_read(entry_7_lookup_read),
    .lookup_write(entry_7_lookup_write),
    .lookup_exec(entry_7_lookup_exec),
    .named(entry_7_named),
    .hit(entry_7_hit),
    .look(entry_7_look),
    .looked_valid(entry_7_looked_valid),
    .clear(entry_7_clear),
    .at(entry_7_at),
    .write(entry_7_write),
    .target(entry_7_target),
    .tag_iova(entry_7_tag_iova),
    .tag_low(entry_7_tag_low),
    .tag_huge(entry_7_tag_huge),
    .tag_function(entry_7_tag_function),
    .tag_pasid(entry_7_tag_pasid),
    .tag_pasid_valid(entry_7_tag_pasid_valid),
    .tag_privileged(entry_7_tag_privileged),
    .tag_any_pasid(entry_7_tag_any_pasid),
    .tag_read(entry_7_tag_read),
    .tag_write(entry_7_tag_write),
    .tag_exec(entry_7_tag_exec)
  );

  rnic_xlat_atc_large_entry_f2_al4 entry_8 (
    .clock(clock),
    .reset(entry_8_reset),
    .number(entry_8_number),
    .lookup_iova(entry_8_lookup_iova),
    .lookup_function(entry_8_lookup_function),
    .lookup_pasid(entry_8_lookup_pasid),
    .lookup_pasid_valid(entry_8_lookup_pasid_valid),
    .lookup_privileged(entry_8_lookup_privileged),
    .lookup_read(entry_8_lookup_read),
    .lookup_write(entry_8_lookup_write),
    .lookup_exec(entry_8_lookup_exec),
    .named(entry_8_named),
    .hit(entry_8_hit),
    .look(entry_8_look),
    .looked_valid(entry_8_looked_valid),
    .clear(entry_8_clear),
    .at(entry_8_at),
    .write(entry_8_write),
    .target(entry_8_target),
    .tag_iova(entry_8_tag_iova),
    .tag_low(entry_8_tag_low),
    .tag_huge(entry_8_tag_huge),
    .tag_function(entry_8_tag_function),
    .tag_pasid(entry_8_tag_pasid),
    .tag_pasid_valid(entry_8_tag_pasid_valid),
    .tag_privileged(entry_8_tag_privileged),
    .tag_any_pasid(entry_8_tag_any_pasid),
    .tag_read(entry_8_tag_read),
    .tag_write(entry_8_tag_write),
    .tag_exec(entry_8_tag_exec)
  );

  rnic_xlat_atc_large_entry_f2_al4 entry_9 (
    .clock(clock),
    .reset(entry_9_reset),
    .number(entry_9_number),
    .lookup_iova(entry_9_lookup_iova),
    .lookup_function(entry_9_lookup_function),
    .lookup_pasid(entry_9_lookup_pasid),
    .lookup_pasid_valid(entry_9_lookup_pasid_valid),
    .lookup_privileged(entry_9_lookup_privileged),
    .lookup_read(entry_9_lookup_read),
    .lookup_write(entry_9_lookup_write),
    .lookup_exec(entry_9_lookup_exec),
    .named(entry_9_named),
    .hit(entry_9_hit),
    .look(entry_9_look),
    .looked_valid(entry_9_looked_valid),
    .clear(entry_9_clear),
    .at(entry_9_at),
    .write(entry_9_write),
    .target(entry_9_target),
    .tag_iova(entry_9_tag_iova),
    .tag_low(entry_9_tag_low),
    .tag_huge(entry_9_tag_huge),
    .tag_function(entry_9_tag_function),
    .tag_pasid(entry_9_tag_pasid),
    .tag_pasid_valid(entry_9_tag_pasid_valid),
    .tag_privileged(entry_9_tag_privileged),
    .tag_any_pasid(entry_9_tag_any_pasid),
    .tag_read(entry_9_tag_read),
    .tag_write(entry_9_tag_write),
    .tag_exec(entry_9_tag_exec)
  );

  rnic_xlat_atc_large_entry_f2_al4 entry_10 (
    .clock(clock),
    .reset(entry_10_reset),
    .number(entry_10_number),
    .lookup_iova(entry_10_lookup_iova),
    .lookup_function(entry_10_lookup_function),
    .lookup_pasid(entry_10_lookup_pasid),
    .lookup_pasid_valid(entry_10_lookup_pasid_valid),
    .lookup_privileged(entry_10_lookup_privileged),
    .lookup_read(entry_10_lookup_read),
    .lookup_write(entry_10_lookup_write),
    .lookup_exec(entry_10_lookup_exec),
    .named(entry_10_named),
    .hit(entry_10_hit),
    .look(entry_10_look),
    .looked_valid(entry_10_looked_valid),
    .clear(entry_10_clear),
    .at(entry_10_at),
    .write(entry_10_write),
    .target(entry_10_target),
    .tag_iova(entry_10_tag_iova),
    .tag_low(entry_10_tag_low),
    .tag_huge(entry_10_tag_huge),
    .tag_function(entry_10_tag_function),
    .tag_pasid(entry_10_tag_pasid),
    .tag_pasid_valid(entry_10_tag_pasid_valid),
    .tag_privileged(entry_10_tag_privileged),
    .tag_any_pasid(entry_10_tag_any_pasid),
    .tag_read(entry_10_tag_read),
    .tag_write(entry_10_tag_write),
    .tag_exec(entry_10_tag_exec)
  );

  rnic_xlat_atc_large_entry_f2_al4 entry_11 (
    .clock(clock),
    .reset(entry_11_reset),
    .number(entry_11_number),
    .lookup_iova(entry_11_lookup_iova),
    .lookup_function(entry_11_lookup_function),
    .lookup_pasid(entry_11_lookup_pasid),
    .lookup_pasid_valid(entry_11_lookup_pasid_valid),
    .lookup_privileged(entry_11_lookup_privileged),
    .lookup_read(entry_11_lookup_read),
    .lookup_write(entry_11_lookup_write),
    .lookup_exec(entry_11_lookup_exec),
    .named(entry_11_named),
    .hit(entry_11_hit),
    .look(entry_11_look),
    .looked_valid(entry_11_looked_valid),
    .clear(entry_11_clear),
    .at(entry_11_at),
    .write(entry_11_write),
    .target(entry_11_target),
    .tag_iova(entry_11_tag_iova),
    .tag_low(entry_11_tag_low),
    .tag_huge(entry_11_tag_huge),
    .tag_function(entry_11_tag_function),
    .tag_pasid(entry_11_tag_pasid),
    .tag_pasid_valid(entry_11_tag_pasid_valid),
    .tag_privileged(entry_11_tag_privileged),
    .tag_any_pasid(entry_11_tag_any_pasid),
    .tag_read(entry_11_tag_read),
    .tag_write(entry_11_tag_write),
    .tag_exec(entry_11_tag_exec)
  );

  rnic_xlat_atc_large_entry_f2_al4 entry_12 (
    .clock(clock),
    .reset(entry_12_reset),
    .number(entry_12_number),
    .lookup_iova(entry_12_lookup_iova),
    .lookup_function(entry_12_lookup_function),
    .lookup_pasid(entry_12_lookup_pasid),
    .lookup_pasid_valid(entry_12_lookup_pasid_valid),
    .lookup_privileged(entry_12_lookup_privileged),
    .lookup_read(entry_12_lookup_read),
    .lookup_write(entry_12_lookup_write),
    .lookup_exec(entry_12_lookup_exec),
    .named(entry_12_named),
    .hit(entry_12_hit),
    .look(entry_12_look),
    .looked_valid(entry_12_looked_valid),
    .clear(entry_12_clear),
    .at(entry_12_at),
    .write(entry_12_write),
    .target(entry_12_target),
    .tag_iova(entry_12_tag_iova),
    .tag_low(entry_12_tag_low),
    .tag_huge(entry_12_tag_huge),
    .tag_function(entry_12_tag_function),
    .tag_pasid(entry_12_tag_pasid),
    .tag_pasid_valid(entry_12_tag_pasid_valid),
    .tag_privileged(entry_12_tag_privileged),
    .tag_any_pasid(entry_12_tag_any_pasid),
    .tag_read(entry_12_tag_read),
    .tag_write(entry_12_tag_write),
    .tag_exec(entry_12_tag_exec)
  );

  rnic_xlat_atc_large_entry_f2_al4 entry_13 (
    .clock(clock),
    .reset(entry_13_reset),
    .number(entry_13_number),
    .lookup_iova(entry_13_lookup_iova),
    .lookup_function(entry_13_lookup_function),
    .lookup_pasid(entry_13_lookup_pasid),
    .lookup_pasid_valid(entry_13_lookup_pasid_valid),
    .lookup_privileged(entry_13_lookup_privileged),
    .lookup_read(entry_13_lookup_read),
    .lookup_write(entry_13_lookup_write),
    .lookup_exec(entry_13_lookup_exec),
    .named(entry_13_named),
    .hit(entry_13_hit),
    .look(entry_13_look),
    .looked_valid(entry_13_looked_valid),
    .clear(entry_13_clear),
    .at(entry_13_at),
    .write(entry_13_write),
    .target(entry_13_target),
    .tag_iova(entry_13_tag_iova),
    .tag_low(entry_13_tag_low),
    .tag_huge(entry_13_tag_huge),
    .tag_function(entry_13_tag_function),
    .tag_pasid(entry_13_tag_pasid),
    .tag_pasid_valid(entry_13_tag_pasid_valid),
    .tag_privileged(entry_13_tag_privileged),
    .tag_any_pasid(entry_13_tag_any_pasid),
    .tag_read(entry_13_tag_read),
    .tag_write(entry_13_tag_write),
    .tag_exec(entry_13_tag_exec)
  );

  rnic_xlat_atc_large_entry_f2_al4 entry_14 (
    .clock(clock),
    .reset(entry_14_reset),
    .number(entry_14_number),
    .lookup_iova(entry_14_lookup_iova),
    .lookup_function(entry_14_lookup_function),
    .lookup_pasid(entry_14_lookup_pasid),
    .lookup_pasid_valid(entry_14_lookup_pasid_valid),
    .lookup_privileged(entry_14_lookup_privileged),
    .lookup_read(entry_14_lookup_read),
    .lookup_write(entry_14_lookup_write),
    .lookup_exec(entry_14_lookup_exec),
    .named(entry_14_named),
    .hit(entry_14_hit),
    .look(entry_14_look),
    .looked_valid(entry_14_looked_valid),
    .clear(entry_14_clear),
    .at(entry_14_at),
    .write(entry_14_write),
    .target(entry_14_target),
    .tag_iova(entry_14_tag_iova),
    .tag_low(entry_14_tag_low),
    .tag_huge(entry_14_tag_huge),
    .tag_function(entry_14_tag_function),
    .tag_pasid(entry_14_tag_pasid),
    .tag_pasid_valid(entry_14_tag_pasid_valid),
    .tag_privileged(entry_14_tag_privileged),
    .tag_any_pasid(entry_14_tag_any_pasid),
    .tag_read(entry_14_tag_read),
    .tag_write(entry_14_tag_write),
    .tag_exec(entry_14_tag_exec)
  );

  rnic_xlat_atc_large_entry_f2_al4 entry_15 (
    .clock(clock),
    .reset(entry_15_reset),
    .number(entry_15_number),
    .lookup_iova(entry_15_lookup_iova),
    .lookup_function(entry_15_lookup_function),
    .lookup_pasid(entry_15_lookup_pasid),
    .lookup_pasid_valid(entry_15_lookup_pasid_valid),
    .lookup_privileged(entry_15_lookup_privileged),
    .lookup_read(entry_15_lookup_read),
    .lookup_write(entry_15_lookup_write),
    .lookup_exec(entry_15_lookup_exec),
    .named(entry_15_named),
    .hit(entry_15_hit),
    .look(entry_15_look),
    .looked_valid(entry_15_looked_valid),
    .clear(entry_15_clear),
    .at(entry_15_at),
    .write(entry_15_write),
    .target(entry_15_target),
    .tag_iova(entry_15_tag_iova),
    .tag_low(entry_15_tag_low),
    .tag_huge(entry_15_tag_huge),
    .tag_function(entry_15_tag_function),
    .tag_pasid(entry_15_tag_pasid),
    .tag_pasid_valid(entry_15_tag_pasid_valid),
    .tag_privileged(entry_15_tag_privileged),
    .tag_any_pasid(entry_15_tag_any_pasid),
    .tag_read(entry_15_tag_read),
    .tag_write(entry_15_tag_write),
    .tag_exec(entry_15_tag_exec)
  );

  rnic_xlat_ram_1w1r_w76_a4_disjoint1 tag_ram (
    .clock(clock),
    .wr_en(tag_ram_wr_en),
    .wr_addr(tag_ram_wr_addr),
    .wr_data(tag_ram_wr_data),
    .rd_en(tag_ram_rd_en),
    .rd_addr(tag_ram_rd_addr),
    .rd_data(tag_ram_rd_data)
  );

  rnic_xlat_ram_1w1r_w52_a4_disjoint1 data_ram (
    .clock(clock),
    .wr_en(data_ram_wr_en),
    .wr_addr(data_ram_wr_addr),
    .wr_data(data_ram_wr_data),
    .rd_en(data_ram_rd_en),
    .rd_addr(data_ram_rd_addr),
    .rd_data(data_ram_rd_data)
  );

  rnic_xlat_atc_owner_f2 owner (
    .clock(clock),
    .entry_function(owner_entry_function),
    .entry_pasid(owner_entry_pasid),
    .entry_pasid_valid(owner_entry_pasid_valid),
    .entry_privileged(owner_entry_privileged),
    .entry_global(owner_entry_global),
    .entry_any_pasid(owner_entry_any_pasid),
    .key_function(owner_key_function),
    .key_pasid(owner_key_pasid),
    .key_pasid_valid(owner_key_pasid_valid),
    .key_privileged(owner_key_privileged),
    .key_global(owner_key_global),
    .key_any_pasid(owner_key_any_pasid),
    .key_all(owner_key_all),
    .same_function(owner_same_function),
    .rival(owner_rival),
    .everywhere(owner_everywhere),
    .in_range(owner_in_range)
  );

  always @* begin
    found_d = found_q;
    target_d = target_q;
    next_victim_d = next_victim_q;
    // The entry to fill: the first that is free after the walk, else the next victim.
    if (free_q & (~found_q)) begin
      found_d = 1'b1;
      target_d = index_3_q;
    end
    if (pick & (~found_q)) begin
      target_d = next_victim_q;
      next_victim_d = next_victim_q + 4'h1;
    end
    if (walk | reset) begin
      found_d = 1'b0;
    end
    if (reset) begin
      next_victim_d = 4'h0;
    end
  end

  always @* begin
    evicting_d = evicting_q;
    if (pick) begin
      evicting_d = ~found_q;
    end
  end

  always @* begin
    // Lookup e1: at most one entry answers, so its number is an OR.
    which = 4'h0;
    if (entry_0_hit) begin
      which = which | numbers_0;
    end
    if (entry_1_hit) begin
      which = which | numbers_1;
    end
    if (entry_2_hit) begin
      which = which | numbers_2;
    end
    if (entry_3_hit) begin
      which = which | numbers_3;
    end
    if (entry_4_hit) begin
      which = which | numbers_4;
    end
    if (entry_5_hit) begin
      which = which | numbers_5;
    end
    if (entry_6_hit) begin
      which = which | numbers_6;
    end
    if (entry_7_hit) begin
      which = which | numbers_7;
    end
    if (entry_8_hit) begin
      which = which | numbers_8;
    end
    if (entry_9_hit) begin
      which = which | numbers_9;
    end
    if (entry_10_hit) begin
      which = which | numbers_10;
    end
    if (entry_11_hit) begin
      which = which | numbers_11;
    end
    if (entry_12_hit) begin
      which = which | numbers_12;
    end
    if (entry_13_hit) begin
      which = which | numbers_13;
    end
    if (entry_14_hit) begin
      which = which | numbers_14;
    end
    if (entry_15_hit) begin
      which = which | numbers_15;
    end
  end

  always @* begin
    any_hit = 1'b0;
    any_hit = any_hit | entry_0_hit;
    any_hit = any_hit | entry_1_hit;
    any_hit = any_hit | entry_2_hit;
    any_hit = any_hit | entry_3_hit;
    any_hit = any_hit | entry_4_hit;
    any_hit = any_hit | entry_5_hit;
    any_hit = any_hit | entry_6_hit;
    any_hit = any_hit | entry_7_hit;
    any_hit = any_hit | entry_8_hit;
    any_hit = any_hit | entry_9_hit;
    any_hit = any_hit | entry_10_hit;
    any_hit = any_hit | entry_11_hit;
    any_hit = any_hit | entry_12_hit;
    any_hit = any_hit | entry_13_hit;
    any_hit = any_hit | entry_14_hit;
    any_hit = any_hit | entry_15_hit;
  end

  always @* begin
    any_named = 1'b0;
    any_named = any_named | entry_0_named;
    any_named = any_named | entry_1_named;
    any_named = any_named | entry_2_named;
    any_named = any_named | entry_3_named;
    any_named = any_named | entry_4_named;
    any_named = any_named | entry_5_named;
    any_named = any_named | entry_6_named;
    any_named = any_named | entry_7_named;
    any_named = any_named | entry_8_named;
    any_named = any_named | entry_9_named;
    any_named = any_named | entry_10_named;
    any_named = any_named | entry_11_named;
    any_named = any_named | entry_12_named;
    any_named = any_named | entry_13_named;
    any_named = any_named | entry_14_named;
    any_named = any_named | entry_15_named;
  end

  assign number_hit_d = which;
  assign hit_1_d = any_hit;
  assign named_1_d = any_named;
  // e2: its data.
  assign data_ram_rd_en = 1'b1;
  assign data_ram_rd_addr = number_hit_q;
  assign hit_2_d = hit_1_q;
  assign named_2_d = named_1_q;
  assign early_hit = hit_1_q;
  assign hit = hit_2_q;
  assign named = named_2_q;
  assign data = data_ram_rd_data;
  // Walk: an entry is read in step 0, compared in 1, judged in 2, cleared in 3.
  assign active_1_d = active_0_q & (~reset);
  assign index_1_d = index_0_q;
  assign active_2_d = active_1_q & (~reset);
  assign index_2_d = index_1_q;
  assign active_3_d = active_2_q & (~reset);
  assign index_3_d = index_2_q;

  always @* begin
    active_0_d = walk | (active_0_q & (index_0_q != last));
    if (reset) begin
      active_0_d = 1'b0;
    end
  end

  always @* begin
    index_0_d = index_0_q + 4'h1;
    if (walk) begin
      index_0_d = 4'h0;
    end
  end

  assign walking = ((active_0_q | active_1_q) | active_2_q) | active_3_q;
  assign tag_ram_rd_en = 1'b1;
  assign tag_ram_rd_addr = index_0_q;
  assign seen = tag_ram_rd_data;
  assign differs_top_d = |((seen[47:31] ^ key_iova[47:31]) & key_compare[47:31]);
  assign differs_high_d = |((seen[30:14] ^ key_iova[30:14]) & key_compare[30:14]);
  assign middle = (|((seen[13:5] ^ key_iova[13:5]) & key_compare[13:5])) & (~seen[73]);
  assign low = (|((seen[4:0] ^ key_iova[4:0]) & key_compare[4:0])) & seen[72];
  assign differs_rest_d = middle | low;

  always @* begin
    looked = 1'b0;
    looked = looked | entry_0_looked_valid;
    looked = looked | entry_1_looked_valid;
    looked = looked | entry_2_looked_valid;
    looked = looked | entry_3_looked_valid;
    looked = looked | entry_4_looked_valid;
    looked = looked | entry_5_looked_valid;
    looked = looked | entry_6_looked_valid;
    looked = looked | entry_7_looked_valid;
    looked = looked | entry_8_looked_valid;
    looked = looked | entry_9_looked_valid;
    looked = looked | entry_10_looked_valid;
    looked = looked | entry_11_looked_valid;
    looked = looked | entry_12_looked_valid;
    looked = looked | entry_13_looked_valid;
    looked = looked | entry_14_looked_valid;
    looked = looked | entry_15_looked_valid;
  end

  assign live_d = looked;
  assign owner_entry_function = seen[75:74];
  assign owner_entry_pasid = seen[67:48];
  assign owner_entry_pasid_valid = seen[68];
  assign owner_entry_privileged = seen[69];
  assign owner_entry_global = seen[70];
  assign owner_entry_any_pasid = seen[71];
  assign owner_key_function = key_function;
  assign owner_key_pasid = key_pasid;
  assign owner_key_pasid_valid = key_pasid_valid;
  assign owner_key_privileged = key_privileged;
  assign owner_key_global = key_global;
  assign owner_key_any_pasid = key_any_pasid;
  assign owner_key_all = key_all;
  assign overlap = ~((differs_top_q | differs_high_q) | differs_rest_q);

  always @* begin
    removed = owner_everywhere | (owner_in_range & overlap);
    if (filling) begin
      removed = owner_rival & overlap;
    end
  end

  assign drop_d = (active_2_q & removed) & (~reset);
  assign free_d = (active_2_q & ((~live_q) | removed)) & (~reset);
  assign picked_d = pick & (~reset);
  assign evicts = evicting_q;
  assign clear = drop_q | picked_q;

  always @* begin
    at = target_q;
    if (drop_q) begin
      at = index_3_q;
    end
  end

  always @* begin
    word = ({28'h0, key_iova} | ({56'h0, key_pasid} << 48)) | ({74'h0, key_function} << 74);
    word = (word & (~(76'h1 << 68))) | ({75'h0, key_pasid_valid} << 68);
    word = (word & (~(76'h1 << 69))) | ({75'h0, key_privileged} << 69);
    word = (word & (~(76'h1 << 70))) | ({75'h0, key_global} << 70);
    word = (word & (~(76'h1 << 71))) | ({75'h0, key_any_pasid} << 71);
    word = (word & (~(76'h1 << 72))) | ({75'h0, key_low} << 72);
    word = (word & (~(76'h1 << 73))) | ({75'h0, key_huge} << 73);
  end

  assign writing_d = write & (~reset);
  assign tag_ram_wr_en = writing_q;
  assign tag_ram_wr_addr = target_q;
  assign tag_ram_wr_data = word;
  assign data_ram_wr_en = writing_q;
  assign data_ram_wr_addr = target_q;
  assign data_ram_wr_data = fill_data;
  assign entry_0_reset = reset;
  assign entry_0_number = numbers_0;
  assign entry_0_lookup_iova = lookup_iova;
  assign entry_0_lookup_function = lookup_function;
  assign entry_0_lookup_pasid = lookup_pasid;
  assign entry_0_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_0_lookup_privileged = lookup_privileged;
  assign entry_0_lookup_read = lookup_read;
  assign entry_0_lookup_write = lookup_write;
  assign entry_0_lookup_exec = lookup_exec;
  assign entry_0_look = index_1_q;
  assign entry_0_clear = clear;
  assign entry_0_write = write;
  assign entry_0_at = at;
  assign entry_0_target = target_q;
  assign entry_0_tag_iova = key_iova;
  assign entry_0_tag_low = key_low;
  assign entry_0_tag_huge = key_huge;
  assign entry_0_tag_function = key_function;
  assign entry_0_tag_pasid = key_pasid;
  assign entry_0_tag_pasid_valid = key_pasid_valid;
  assign entry_0_tag_privileged = key_privileged;
  assign entry_0_tag_any_pasid = key_any_pasid;
  assign entry_0_tag_read = fill_read;
  assign entry_0_tag_write = fill_write;
  assign entry_0_tag_exec = fill_exec;
  assign entry_1_reset = reset;
  assign entry_1_number = numbers_1;
  assign entry_1_lookup_iova = lookup_iova;
  assign entry_1_lookup_function = lookup_function;
  assign entry_1_lookup_pasid = lookup_pasid;
  assign entry_1_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_1_lookup_privileged = lookup_privileged;
  assign entry_1_lookup_read = lookup_read;
  assign entry_1_lookup_write = lookup_write;
  assign entry_1_lookup_exec = lookup_exec;
  assign entry_1_look = index_1_q;
  assign entry_1_clear = clear;
  assign entry_1_write = write;
  assign entry_1_at = at;
  assign entry_1_target = target_q;
  assign entry_1_tag_iova = key_iova;
  assign entry_1_tag_low = key_low;
  assign entry_1_tag_huge = key_huge;
  assign entry_1_tag_function = key_function;
  assign entry_1_tag_pasid = key_pasid;
  assign entry_1_tag_pasid_valid = key_pasid_valid;
  assign entry_1_tag_privileged = key_privileged;
  assign entry_1_tag_any_pasid = key_any_pasid;
  assign entry_1_tag_read = fill_read;
  assign entry_1_tag_write = fill_write;
  assign entry_1_tag_exec = fill_exec;
  assign entry_2_reset = reset;
  assign entry_2_number = numbers_2;
  assign entry_2_lookup_iova = lookup_iova;
  assign entry_2_lookup_function = lookup_function;
  assign entry_2_lookup_pasid = lookup_pasid;
  assign entry_2_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_2_lookup_privileged = lookup_privileged;
  assign entry_2_lookup_read = lookup_read;
  assign entry_2_lookup_write = lookup_write;
  assign entry_2_lookup_exec = lookup_exec;
  assign entry_2_look = index_1_q;
  assign entry_2_clear = clear;
  assign entry_2_write = write;
  assign entry_2_at = at;
  assign entry_2_target = target_q;
  assign entry_2_tag_iova = key_iova;
  assign entry_2_tag_low = key_low;
  assign entry_2_tag_huge = key_huge;
  assign entry_2_tag_function = key_function;
  assign entry_2_tag_pasid = key_pasid;
  assign entry_2_tag_pasid_valid = key_pasid_valid;
  assign entry_2_tag_privileged = key_privileged;
  assign entry_2_tag_any_pasid = key_any_pasid;
  assign entry_2_tag_read = fill_read;
  assign entry_2_tag_write = fill_write;
  assign entry_2_tag_exec = fill_exec;
  assign entry_3_reset = reset;
  assign entry_3_number = numbers_3;
  assign entry_3_lookup_iova = lookup_iova;
  assign entry_3_lookup_function = lookup_function;
  assign entry_3_lookup_pasid = lookup_pasid;
  assign entry_3_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_3_lookup_privileged = lookup_privileged;
  assign entry_3_lookup_read = lookup_read;
  assign entry_3_lookup_write = lookup_write;
  assign entry_3_lookup_exec = lookup_exec;
  assign entry_3_look = index_1_q;
  assign entry_3_clear = clear;
  assign entry_3_write = write;
  assign entry_3_at = at;
  assign entry_3_target = target_q;
  assign entry_3_tag_iova = key_iova;
  assign entry_3_tag_low = key_low;
  assign entry_3_tag_huge = key_huge;
  assign entry_3_tag_function = key_function;
  assign entry_3_tag_pasid = key_pasid;
  assign entry_3_tag_pasid_valid = key_pasid_valid;
  assign entry_3_tag_privileged = key_privileged;
  assign entry_3_tag_any_pasid = key_any_pasid;
  assign entry_3_tag_read = fill_read;
  assign entry_3_tag_write = fill_write;
  assign entry_3_tag_exec = fill_exec;
  assign entry_4_reset = reset;
  assign entry_4_number = numbers_4;
  assign entry_4_lookup_iova = lookup_iova;
  assign entry_4_lookup_function = lookup_function;
  assign entry_4_lookup_pasid = lookup_pasid;
  assign entry_4_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_4_lookup_privileged = lookup_privileged;
  assign entry_4_lookup_read = lookup_read;
  assign entry_4_lookup_write = lookup_write;
  assign entry_4_lookup_exec = lookup_exec;
  assign entry_4_look = index_1_q;
  assign entry_4_clear = clear;
  assign entry_4_write = write;
  assign entry_4_at = at;
  assign entry_4_target = target_q;
  assign entry_4_tag_iova = key_iova;
  assign entry_4_tag_low = key_low;
  assign entry_4_tag_huge = key_huge;
  assign entry_4_tag_function = key_function;
  assign entry_4_tag_pasid = key_pasid;
  assign entry_4_tag_pasid_valid = key_pasid_valid;
  assign entry_4_tag_privileged = key_privileged;
  assign entry_4_tag_any_pasid = key_any_pasid;
  assign entry_4_tag_read = fill_read;
  assign entry_4_tag_write = fill_write;
  assign entry_4_tag_exec = fill_exec;
  assign entry_5_reset = reset;
  assign entry_5_number = numbers_5;
  assign entry_5_lookup_iova = lookup_iova;
  assign entry_5_lookup_function = lookup_function;
  assign entry_5_lookup_pasid = lookup_pasid;
  assign entry_5_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_5_lookup_privileged = lookup_privileged;
  assign entry_5_lookup_read = lookup_read;
  assign entry_5_lookup_write = lookup_write;
  assign entry_5_lookup_exec = lookup_exec;
  assign entry_5_look = index_1_q;
  assign entry_5_clear = clear;
  assign entry_5_write = write;
  assign entry_5_at = at;
  assign entry_5_target = target_q;
  assign entry_5_tag_iova = key_iova;
  assign entry_5_tag_low = key_low;
  assign entry_5_tag_huge = key_huge;
  assign entry_5_tag_function = key_function;
  assign entry_5_tag_pasid = key_pasid;
  assign entry_5_tag_pasid_valid = key_pasid_valid;
  assign entry_5_tag_privileged = key_privileged;
  assign entry_5_tag_any_pasid = key_any_pasid;
  assign entry_5_tag_read = fill_read;
  assign entry_5_tag_write = fill_write;
  assign entry_5_tag_exec = fill_exec;
  assign entry_6_reset = reset;
  assign entry_6_number = numbers_6;
  assign entry_6_lookup_iova = lookup_iova;
  assign entry_6_lookup_function = lookup_function;
  assign entry_6_lookup_pasid = lookup_pasid;
  assign entry_6_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_6_lookup_privileged = lookup_privileged;
  assign entry_6_lookup_read = lookup_read;
  assign entry_6_lookup_write = lookup_write;
  assign entry_6_lookup_exec = lookup_exec;
  assign entry_6_look = index_1_q;
  assign entry_6_clear = clear;
  assign entry_6_write = write;
  assign entry_6_at = at;
  assign entry_6_target = target_q;
  assign entry_6_tag_iova = key_iova;
  assign entry_6_tag_low = key_low;
  assign entry_6_tag_huge = key_huge;
  assign entry_6_tag_function = key_function;
  assign entry_6_tag_pasid = key_pasid;
  assign entry_6_tag_pasid_valid = key_pasid_valid;
  assign entry_6_tag_privileged = key_privileged;
  assign entry_6_tag_any_pasid = key_any_pasid;
  assign entry_6_tag_read = fill_read;
  assign entry_6_tag_write = fill_write;
  assign entry_6_tag_exec = fill_exec;
  assign entry_7_reset = reset;
  assign entry_7_number = numbers_7;
  assign entry_7_lookup_iova = lookup_iova;
  assign entry_7_lookup_function = lookup_function;
  assign entry_7_lookup_pasid = lookup_pasid;
  assign entry_7_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_7_lookup_privileged = lookup_privileged;
  assign entry_7_lookup_read = lookup_read;
  assign entry_7_lookup_write = lookup_write;
  assign entry_7_lookup_exec = lookup_exec;
  assign entry_7_look = index_1_q;
  assign entry_7_clear = clear;
  assign entry_7_write = write;
  assign entry_7_at = at;
  assign entry_7_target = target_q;
  assign entry_7_tag_iova = key_iova;
  assign entry_7_tag_low = key_low;
  assign entry_7_tag_huge = key_huge;
  assign entry_7_tag_function = key_function;
  assign entry_7_tag_pasid = key_pasid;
  assign entry_7_tag_pasid_valid = key_pasid_valid;
  assign entry_7_tag_privileged = key_privileged;
  assign entry_7_tag_any_pasid = key_any_pasid;
  assign entry_7_tag_read = fill_read;
  assign entry_7_tag_write = fill_write;
  assign entry_7_tag_exec = fill_exec;
  assign entry_8_reset = reset;
  assign entry_8_number = numbers_8;
  assign entry_8_lookup_iova = lookup_iova;
  assign entry_8_lookup_function = lookup_function;
  assign entry_8_lookup_pasid = lookup_pasid;
  assign entry_8_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_8_lookup_privileged = lookup_privileged;
  assign entry_8_lookup_read = lookup_read;
  assign entry_8_lookup_write = lookup_write;
  assign entry_8_lookup_exec = lookup_exec;
  assign entry_8_look = index_1_q;
  assign entry_8_clear = clear;
  assign entry_8_write = write;
  assign entry_8_at = at;
  assign entry_8_target = target_q;
  assign entry_8_tag_iova = key_iova;
  assign entry_8_tag_low = key_low;
  assign entry_8_tag_huge = key_huge;
  assign entry_8_tag_function = key_function;
  assign entry_8_tag_pasid = key_pasid;
  assign entry_8_tag_pasid_valid = key_pasid_valid;
  assign entry_8_tag_privileged = key_privileged;
  assign entry_8_tag_any_pasid = key_any_pasid;
  assign entry_8_tag_read = fill_read;
  assign entry_8_tag_write = fill_write;
  assign entry_8_tag_exec = fill_exec;
  assign entry_9_reset = reset;
  assign entry_9_number = numbers_9;
  assign entry_9_lookup_iova = lookup_iova;
  assign entry_9_lookup_function = lookup_function;
  assign entry_9_lookup_pasid = lookup_pasid;
  assign entry_9_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_9_lookup_privileged = lookup_privileged;
  assign entry_9_lookup_read = lookup_read;
  assign entry_9_lookup_write = lookup_write;
  assign entry_9_lookup_exec = lookup_exec;
  assign entry_9_look = index_1_q;
  assign entry_9_clear = clear;
  assign entry_9_write = write;
  assign entry_9_at = at;
  assign entry_9_target = target_q;
  assign entry_9_tag_iova = key_iova;
  assign entry_9_tag_low = key_low;
  assign entry_9_tag_huge = key_huge;
  assign entry_9_tag_function = key_function;
  assign entry_9_tag_pasid = key_pasid;
  assign entry_9_tag_pasid_valid = key_pasid_valid;
  assign entry_9_tag_privileged = key_privileged;
  assign entry_9_tag_any_pasid = key_any_pasid;
  assign entry_9_tag_read = fill_read;
  assign entry_9_tag_write = fill_write;
  assign entry_9_tag_exec = fill_exec;
  assign entry_10_reset = reset;
  assign entry_10_number = numbers_10;
  assign entry_10_lookup_iova = lookup_iova;
  assign entry_10_lookup_function = lookup_function;
  assign entry_10_lookup_pasid = lookup_pasid;
  assign entry_10_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_10_lookup_privileged = lookup_privileged;
  assign entry_10_lookup_read = lookup_read;
  assign entry_10_lookup_write = lookup_write;
  assign entry_10_lookup_exec = lookup_exec;
  assign entry_10_look = index_1_q;
  assign entry_10_clear = clear;
  assign entry_10_write = write;
  assign entry_10_at = at;
  assign entry_10_target = target_q;
  assign entry_10_tag_iova = key_iova;
  assign entry_10_tag_low = key_low;
  assign entry_10_tag_huge = key_huge;
  assign entry_10_tag_function = key_function;
  assign entry_10_tag_pasid = key_pasid;
  assign entry_10_tag_pasid_valid = key_pasid_valid;
  assign entry_10_tag_privileged = key_privileged;
  assign entry_10_tag_any_pasid = key_any_pasid;
  assign entry_10_tag_read = fill_read;
  assign entry_10_tag_write = fill_write;
  assign entry_10_tag_exec = fill_exec;
  assign entry_11_reset = reset;
  assign entry_11_number = numbers_11;
  assign entry_11_lookup_iova = lookup_iova;
  assign entry_11_lookup_function = lookup_function;
  assign entry_11_lookup_pasid = lookup_pasid;
  assign entry_11_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_11_lookup_privileged = lookup_privileged;
  assign entry_11_lookup_read = lookup_read;
  assign entry_11_lookup_write = lookup_write;
  assign entry_11_lookup_exec = lookup_exec;
  assign entry_11_look = index_1_q;
  assign entry_11_clear = clear;
  assign entry_11_write = write;
  assign entry_11_at = at;
  assign entry_11_target = target_q;
  assign entry_11_tag_iova = key_iova;
  assign entry_11_tag_low = key_low;
  assign entry_11_tag_huge = key_huge;
  assign entry_11_tag_function = key_function;
  assign entry_11_tag_pasid = key_pasid;
  assign entry_11_tag_pasid_valid = key_pasid_valid;
  assign entry_11_tag_privileged = key_privileged;
  assign entry_11_tag_any_pasid = key_any_pasid;
  assign entry_11_tag_read = fill_read;
  assign entry_11_tag_write = fill_write;
  assign entry_11_tag_exec = fill_exec;
  assign entry_12_reset = reset;
  assign entry_12_number = numbers_12;
  assign entry_12_lookup_iova = lookup_iova;
  assign entry_12_lookup_function = lookup_function;
  assign entry_12_lookup_pasid = lookup_pasid;
  assign entry_12_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_12_lookup_privileged = lookup_privileged;
  assign entry_12_lookup_read = lookup_read;
  assign entry_12_lookup_write = lookup_write;
  assign entry_12_lookup_exec = lookup_exec;
  assign entry_12_look = index_1_q;
  assign entry_12_clear = clear;
  assign entry_12_write = write;
  assign entry_12_at = at;
  assign entry_12_target = target_q;
  assign entry_12_tag_iova = key_iova;
  assign entry_12_tag_low = key_low;
  assign entry_12_tag_huge = key_huge;
  assign entry_12_tag_function = key_function;
  assign entry_12_tag_pasid = key_pasid;
  assign entry_12_tag_pasid_valid = key_pasid_valid;
  assign entry_12_tag_privileged = key_privileged;
  assign entry_12_tag_any_pasid = key_any_pasid;
  assign entry_12_tag_read = fill_read;
  assign entry_12_tag_write = fill_write;
  assign entry_12_tag_exec = fill_exec;
  assign entry_13_reset = reset;
  assign entry_13_number = numbers_13;
  assign entry_13_lookup_iova = lookup_iova;
  assign entry_13_lookup_function = lookup_function;
  assign entry_13_lookup_pasid = lookup_pasid;
  assign entry_13_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_13_lookup_privileged = lookup_privileged;
  assign entry_13_lookup_read = lookup_read;
  assign entry_13_lookup_write = lookup_write;
  assign entry_13_lookup_exec = lookup_exec;
  assign entry_13_look = index_1_q;
  assign entry_13_clear = clear;
  assign entry_13_write = write;
  assign entry_13_at = at;
  assign entry_13_target = target_q;
  assign entry_13_tag_iova = key_iova;
  assign entry_13_tag_low = key_low;
  assign entry_13_tag_huge = key_huge;
  assign entry_13_tag_function = key_function;
  assign entry_13_tag_pasid = key_pasid;
  assign entry_13_tag_pasid_valid = key_pasid_valid;
  assign entry_13_tag_privileged = key_privileged;
  assign entry_13_tag_any_pasid = key_any_pasid;
  assign entry_13_tag_read = fill_read;
  assign entry_13_tag_write = fill_write;
  assign entry_13_tag_exec = fill_exec;
  assign entry_14_reset = reset;
  assign entry_14_number = numbers_14;
  assign entry_14_lookup_iova = lookup_iova;
  assign entry_14_lookup_function = lookup_function;
  assign entry_14_lookup_pasid = lookup_pasid;
  assign entry_14_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_14_lookup_privileged = lookup_privileged;
  assign entry_14_lookup_read = lookup_read;
  assign entry_14_lookup_write = lookup_write;
  assign entry_14_lookup_exec = lookup_exec;
  assign entry_14_look = index_1_q;
  assign entry_14_clear = clear;
  assign entry_14_write = write;
  assign entry_14_at = at;
  assign entry_14_target = target_q;
  assign entry_14_tag_iova = key_iova;
  assign entry_14_tag_low = key_low;
  assign entry_14_tag_huge = key_huge;
  assign entry_14_tag_function = key_function;
  assign entry_14_tag_pasid = key_pasid;
  assign entry_14_tag_pasid_valid = key_pasid_valid;
  assign entry_14_tag_privileged = key_privileged;
  assign entry_14_tag_any_pasid = key_any_pasid;
  assign entry_14_tag_read = fill_read;
  assign entry_14_tag_write = fill_write;
  assign entry_14_tag_exec = fill_exec;
  assign entry_15_reset = reset;
  assign entry_15_number = numbers_15;
  assign entry_15_lookup_iova = lookup_iova;
  assign entry_15_lookup_function = lookup_function;
  assign entry_15_lookup_pasid = lookup_pasid;
  assign entry_15_lookup_pasid_valid = lookup_pasid_valid;
  assign entry_15_lookup_privileged = lookup_privileged;
  assign entry_15_lookup_read = lookup_read;
  assign entry_15_lookup_write = lookup_write;
  assign entry_15_lookup_exec = lookup_exec;
  assign entry_15_look = index_1_q;
  assign entry_15_clear = clear;
  assign entry_15_write = write;
  assign entry_15_at = at;
  assign entry_15_target = target_q;
  assign entry_15_tag_iova = key_iova;
  assign entry_15_tag_low = key_low;
  assign entry_15_tag_huge = key_huge;
  assign entry_15_tag_function = key_function;
  assign entry_15_tag_pasid = key_pasid;
  assign entry_15_tag_pasid_valid = key_pasid_valid;
  assign entry_15_tag_privileged = key_privileged;
  assign entry_15_tag_any_pasid = key_any_pasid;
  assign entry_15_tag_read = fill_read;
  assign entry_15_tag_write = fill_write;
  assign entry_15_tag_exec = fill_exec;

  always @(posedge clock) begin
    number_hit_q <= number_hit_d;
    hit_1_q <= hit_1_d;
    hit_2_q <= hit_2_d;
    named_1_q <= named_1_d;
    named_2_q <= named_2_d;
    active_0_q <= active_0_d;
    active_1_q <= active_1_d;
    active_2_q <= active_2_d;
    active_3_q <= active_3_d;
    index_0_q <= index_0_d;
    index_1_q <= index_1_d;
    index_2_q <= index_2_d;
    index_3_q <= index_3_d;
    differs_top_q <= differs_top_d;
    differs_high_q <= differs_high_d;
    differs_rest_q <= differs_rest_d;
    live_q <= live_d;
    drop_q <= drop_d;
    free_q <= free_d;
    found_q <= found_d;
    target_q <= target_d;
    next_victim_q <= next_victim_d;
    picked_q <= picked_d;
    writing_q <= writing_d;
    evicting_q <= evicting_d;
  end
endmodule

`default_nettype wire
