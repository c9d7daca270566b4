// rnic_xlat_atc_way_f2_a6: one way of the base-granule array of the ATC
//
// rnic-xlat 0.1.0, configuration small
// Parameters: F = 2, A = 6
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_atc_way_f2_a6 (
  input  wire        clock,

  // Lookup: read of the RAMs
  input  wire [5:0]  lookup_set,
  input  wire        lookup_clash,

  // Lookup: what is asked, in the cycle after the read
  input  wire [51:0] asked_granule,
  input  wire [1:0]  asked_function,
  input  wire [3:0]  asked_generation,
  input  wire [19:0] asked_pasid,
  input  wire        asked_pasid_valid,
  input  wire        asked_privileged,
  input  wire        asked_read,
  input  wire        asked_write,
  input  wire        asked_exec,
  input  wire        asked_elsewhere,

  // Lookup: what the entry says, three edges after the read
  output wire        named,
  output wire        good,
  output wire        sound,
  output wire        valid,
  output wire [51:0] address,
  output wire        untranslated,
  output wire        no_snoop,

  // Engine: read of the tag RAM
  input  wire [5:0]  engine_set,

  // Engine: key of the fill or the invalidation
  input  wire [51:0] key_granule,
  input  wire [51:0] key_compare,
  input  wire [1:0]  key_function,
  input  wire [3:0]  key_generation,
  input  wire [19:0] key_pasid,
  input  wire        key_pasid_valid,
  input  wire        key_privileged,
  input  wire        key_global,
  input  wire        key_any_pasid,
  input  wire        key_all,

  // Engine: what becomes of the entry, four edges after the read
  output wire        rival,
  output wire        free,
  output wire        drop,

  // Write port
  input  wire        write_en,
  input  wire [5:0]  write_set,
  input  wire        write_valid,
  input  wire [87:0] write_tag,
  input  wire [54:0] write_data
);

  // Signals
  wire [87:0] word;
  wire [87:0] seen;
  wire [87:0] found;
  wire [54:0] datum;
  reg  [25:0] granule_pairs;
  reg  [9:0]  pasid_pairs;
  reg  [12:0] granule_quads;
  reg  [7:0]  rest_quads;
  reg  [13:0] data_quads;
  wire        odd;
  wire        overlap;
  wire        broken;
  wire        tag_ram_wr_en;
  wire [5:0]  tag_ram_wr_addr;
  wire [87:0] tag_ram_wr_data;
  wire        tag_ram_rd0_en;
  wire [5:0]  tag_ram_rd0_addr;
  wire [87:0] tag_ram_rd0_data;
  wire        tag_ram_rd1_en;
  wire [5:0]  tag_ram_rd1_addr;
  wire [87:0] tag_ram_rd1_data;
  wire        data_ram_wr_en;
  wire [5:0]  data_ram_wr_addr;
  wire [54:0] data_ram_wr_data;
  wire        data_ram_rd_en;
  wire [5:0]  data_ram_rd_addr;
  wire [54:0] data_ram_rd_data;
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
  reg         clash_q = 1'b0;
  wire        clash_d;
  reg  [25:0] same_granule_q = 26'h0;
  wire [25:0] same_granule_d;
  reg  [9:0]  same_pasid_q = 10'h0;
  wire [9:0]  same_pasid_d;
  reg         any_pasid_q = 1'b0;
  wire        any_pasid_d;
  reg         same_function_q = 1'b0;
  wire        same_function_d;
  reg         same_generation_q = 1'b0;
  wire        same_generation_d;
  reg         same_kind_q = 1'b0;
  wire        same_kind_d;
  reg         present_q = 1'b0;
  wire        present_d;
  reg         allowed_q = 1'b0;
  wire        allowed_d;
  reg  [12:0] odd_granule_q = 13'h0;
  wire [12:0] odd_granule_d;
  reg         even_granule_q = 1'b0;
  wire        even_granule_d;
  reg  [7:0]  odd_rest_q = 8'h0;
  wire [7:0]  odd_rest_d;
  reg         odd_function_q = 1'b0;
  wire        odd_function_d;
  reg         even_rest_q = 1'b0;
  wire        even_rest_d;
  reg  [13:0] odd_data_q = 14'h0;
  wire [13:0] odd_data_d;
  reg  [53:0] data_0_q = 54'h0;
  wire [53:0] data_0_d;
  reg  [53:0] data_1_q = 54'h0;
  wire [53:0] data_1_d;
  reg         is_named_q = 1'b0;
  wire        is_named_d;
  reg         is_odd_q = 1'b0;
  wire        is_odd_d;
  reg         is_good_q = 1'b0;
  wire        is_good_d;
  reg         was_present_q = 1'b0;
  wire        was_present_d;
  reg  [87:0] engine_tag_q = 88'h0;
  wire [87:0] engine_tag_d;
  reg         differs_0_q = 1'b0;
  wire        differs_0_d;
  reg         differs_1_q = 1'b0;
  wire        differs_1_d;
  reg         differs_2_q = 1'b0;
  wire        differs_2_d;
  reg         differs_3_q = 1'b0;
  wire        differs_3_d;
  reg         generation_q = 1'b0;
  wire        generation_d;
  reg         engine_valid_q = 1'b0;
  wire        engine_valid_d;
  reg         engine_odd_granule_q = 1'b0;
  wire        engine_odd_granule_d;
  reg         engine_odd_rest_q = 1'b0;
  wire        engine_odd_rest_d;
  reg         is_rival_q = 1'b0;
  wire        is_rival_d;
  reg         is_free_q = 1'b0;
  wire        is_free_d;
  reg         is_dropped_q = 1'b0;
  wire        is_dropped_d;

  rnic_xlat_ram_1w2r_w88_a6_disjoint1 tag_ram (
    .clock(clock),
    .wr_en(tag_ram_wr_en),
    .wr_addr(tag_ram_wr_addr),
    .wr_data(tag_ram_wr_data),
    .rd0_en(tag_ram_rd0_en),
    .rd0_addr(tag_ram_rd0_addr),
    .rd0_data(tag_ram_rd0_data),
    .rd1_en(tag_ram_rd1_en),
    .rd1_addr(tag_ram_rd1_addr),
    .rd1_data(tag_ram_rd1_data)
  );

  rnic_xlat_ram_1w1r_w55_a6_disjoint1 data_ram (
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

  // Write port. A cleared word differs in its valid bit alone: parity of an invalid word means nothing.
  assign word = (write_tag & (~(88'h1 << 83))) | ({87'h0, write_valid} << 83);
  assign tag_ram_wr_en = write_en;
  assign tag_ram_wr_addr = write_set;
  assign tag_ram_wr_data = word;
  assign data_ram_wr_en = write_en;
  assign data_ram_wr_addr = write_set;
  assign data_ram_wr_data = write_data;
  // Lookup e0: read.
  assign tag_ram_rd0_en = 1'b1;
  assign tag_ram_rd0_addr = lookup_set;
  assign data_ram_rd_en = 1'b1;
  assign data_ram_rd_addr = lookup_set;
  assign clash_d = write_en & lookup_clash;
  // e1: first look-up tables of the compare (two bits each) and of parity (four).
  assign seen = tag_ram_rd0_data;
  assign datum = data_ram_rd_data;

  always @* begin
    granule_pairs = 26'h0;
    granule_pairs = (granule_pairs & (~(26'h1 << 0))) | ({25'h0, seen[1:0] == asked_granule[1:0]} << 0);
    granule_pairs = (granule_pairs & (~(26'h1 << 1))) | ({25'h0, seen[3:2] == asked_granule[3:2]} << 1);
    granule_pairs = (granule_pairs & (~(26'h1 << 2))) | ({25'h0, seen[5:4] == asked_granule[5:4]} << 2);
    granule_pairs = (granule_pairs & (~(26'h1 << 3))) | ({25'h0, seen[7:6] == asked_granule[7:6]} << 3);
    granule_pairs = (granule_pairs & (~(26'h1 << 4))) | ({25'h0, seen[9:8] == asked_granule[9:8]} << 4);
    granule_pairs = (granule_pairs & (~(26'h1 << 5))) | ({25'h0, seen[11:10] == asked_granule[11:10]} << 5);
    granule_pairs = (granule_pairs & (~(26'h1 << 6))) | ({25'h0, seen[13:12] == asked_granule[13:12]} << 6);
    granule_pairs = (granule_pairs & (~(26'h1 << 7))) | ({25'h0, seen[15:14] == asked_granule[15:14]} << 7);
    granule_pairs = (granule_pairs & (~(26'h1 << 8))) | ({25'h0, seen[17:16] == asked_granule[17:16]} << 8);
    granule_pairs = (granule_pairs & (~(26'h1 << 9))) | ({25'h0, seen[19:18] == asked_granule[19:18]} << 9);
    granule_pairs = (granule_pairs & (~(26'h1 << 10))) | ({25'h0, seen[21:20] == asked_granule[21:20]} << 10);
    granule_pairs = (granule_pairs & (~(26'h1 << 11))) | ({25'h0, seen[23:22] == asked_granule[23:22]} << 11);
    granule_pairs = (granule_pairs & (~(26'h1 << 12))) | ({25'h0, seen[25:24] == asked_granule[25:24]} << 12);
    granule_pairs = (granule_pairs & (~(26'h1 << 13))) | ({25'h0, seen[27:26] == asked_granule[27:26]} << 13);
    granule_pairs = (granule_pairs & (~(26'h1 << 14))) | ({25'h0, seen[29:28] == asked_granule[29:28]} << 14);
    granule_pairs = (granule_pairs & (~(26'h1 << 15))) | ({25'h0, seen[31:30] == asked_granule[31:30]} << 15);
    granule_pairs = (granule_pairs & (~(26'h1 << 16))) | ({25'h0, seen[33:32] == asked_granule[33:32]} << 16);
    granule_pairs = (granule_pairs & (~(26'h1 << 17))) | ({25'h0, seen[35:34] == asked_granule[35:34]} << 17);
    granule_pairs = (granule_pairs & (~(26'h1 << 18))) | ({25'h0, seen[37:36] == asked_granule[37:36]} << 18);
    granule_pairs = (granule_pairs & (~(26'h1 << 19))) | ({25'h0, seen[39:38] == asked_granule[39:38]} << 19);
    granule_pairs = (granule_pairs & (~(26'h1 << 20))) | ({25'h0, seen[41:40] == asked_granule[41:40]} << 20);
    granule_pairs = (granule_pairs & (~(26'h1 << 21))) | ({25'h0, seen[43:42] == asked_granule[43:42]} << 21);
    granule_pairs = (granule_pairs & (~(26'h1 << 22))) | ({25'h0, seen[45:44] == asked_granule[45:44]} << 22);
    granule_pairs = (granule_pairs & (~(26'h1 << 23))) | ({25'h0, seen[47:46] == asked_granule[47:46]} << 23);
    granule_pairs = (granule_pairs & (~(26'h1 << 24))) | ({25'h0, seen[49:48] == asked_granule[49:48]} << 24);
    granule_pairs = (granule_pairs & (~(26'h1 << 25))) | ({25'h0, seen[51:50] == asked_granule[51:50]} << 25);
  end

  always @* begin
    pasid_pairs = 10'h0;
    pasid_pairs = (pasid_pairs & (~(10'h1 << 0))) | ({9'h0, seen[53:52] == asked_pasid[1:0]} << 0);
    pasid_pairs = (pasid_pairs & (~(10'h1 << 1))) | ({9'h0, seen[55:54] == asked_pasid[3:2]} << 1);
    pasid_pairs = (pasid_pairs & (~(10'h1 << 2))) | ({9'h0, seen[57:56] == asked_pasid[5:4]} << 2);
    pasid_pairs = (pasid_pairs & (~(10'h1 << 3))) | ({9'h0, seen[59:58] == asked_pasid[7:6]} << 3);
    pasid_pairs = (pasid_pairs & (~(10'h1 << 4))) | ({9'h0, seen[61:60] == asked_pasid[9:8]} << 4);
    pasid_pairs = (pasid_pairs & (~(10'h1 << 5))) | ({9'h0, seen[63:62] == asked_pasid[11:10]} << 5);
    pasid_pairs = (pasid_pairs & (~(10'h1 << 6))) | ({9'h0, seen[65:64] == asked_pasid[13:12]} << 6);
    pasid_pairs = (pasid_pairs & (~(10'h1 << 7))) | ({9'h0, seen[67:66] == asked_pasid[15:14]} << 7);
    pasid_pairs = (pasid_pairs & (~(10'h1 << 8))) | ({9'h0, seen[69:68] == asked_pasid[17:16]} << 8);
    pasid_pairs = (pasid_pairs & (~(10'h1 << 9))) | ({9'h0, seen[71:70] == asked_pasid[19:18]} << 9);
  end

  always @* begin
    granule_quads = 13'h0;
    granule_quads = (granule_quads & (~(13'h1 << 0))) | ({12'h0, ^seen[3:0]} << 0);
    granule_quads = (granule_quads & (~(13'h1 << 1))) | ({12'h0, ^seen[7:4]} << 1);
    granule_quads = (granule_quads & (~(13'h1 << 2))) | ({12'h0, ^seen[11:8]} << 2);
    granule_quads = (granule_quads & (~(13'h1 << 3))) | ({12'h0, ^seen[15:12]} << 3);
    granule_quads = (granule_quads & (~(13'h1 << 4))) | ({12'h0, ^seen[19:16]} << 4);
    granule_quads = (granule_quads & (~(13'h1 << 5))) | ({12'h0, ^seen[23:20]} << 5);
    granule_quads = (granule_quads & (~(13'h1 << 6))) | ({12'h0, ^seen[27:24]} << 6);
    granule_quads = (granule_quads & (~(13'h1 << 7))) | ({12'h0, ^seen[31:28]} << 7);
    granule_quads = (granule_quads & (~(13'h1 << 8))) | ({12'h0, ^seen[35:32]} << 8);
    granule_quads = (granule_quads & (~(13'h1 << 9))) | ({12'h0, ^seen[39:36]} << 9);
    granule_quads = (granule_quads & (~(13'h1 << 10))) | ({12'h0, ^seen[43:40]} << 10);
    granule_quads = (granule_quads & (~(13'h1 << 11))) | ({12'h0, ^seen[47:44]} << 11);
    granule_quads = (granule_quads & (~(13'h1 << 12))) | ({12'h0, ^seen[51:48]} << 12);
  end

  always @* begin
    rest_quads = 8'h0;
    rest_quads = (rest_quads & (~(8'h1 << 0))) | ({7'h0, ^seen[55:52]} << 0);
    rest_quads = (rest_quads & (~(8'h1 << 1))) | ({7'h0, ^seen[59:56]} << 1);
    rest_quads = (rest_quads & (~(8'h1 << 2))) | ({7'h0, ^seen[63:60]} << 2);
    rest_quads = (rest_quads & (~(8'h1 << 3))) | ({7'h0, ^seen[67:64]} << 3);
    rest_quads = (rest_quads & (~(8'h1 << 4))) | ({7'h0, ^seen[71:68]} << 4);
    rest_quads = (rest_quads & (~(8'h1 << 5))) | ({7'h0, ^seen[75:72]} << 5);
    rest_quads = (rest_quads & (~(8'h1 << 6))) | ({7'h0, ^seen[79:76]} << 6);
    rest_quads = (rest_quads & (~(8'h1 << 7))) | ({7'h0, ^seen[83:80]} << 7);
  end

  always @* begin
    data_quads = 14'h0;
    data_quads = (data_quads & (~(14'h1 << 0))) | ({13'h0, ^datum[3:0]} << 0);
    data_quads = (data_quads & (~(14'h1 << 1))) | ({13'h0, ^datum[7:4]} << 1);
    data_quads = (data_quads & (~(14'h1 << 2))) | ({13'h0, ^datum[11:8]} << 2);
    data_quads = (data_quads & (~(14'h1 << 3))) | ({13'h0, ^datum[15:12]} << 3);
    data_quads = (data_quads & (~(14'h1 << 4))) | ({13'h0, ^datum[19:16]} << 4);
    data_quads = (data_quads & (~(14'h1 << 5))) | ({13'h0, ^datum[23:20]} << 5);
    data_quads = (data_quads & (~(14'h1 << 6))) | ({13'h0, ^datum[27:24]} << 6);
    data_quads = (data_quads & (~(14'h1 << 7))) | ({13'h0, ^datum[31:28]} << 7);
    data_quads = (data_quads & (~(14'h1 << 8))) | ({13'h0, ^datum[35:32]} << 8);
    data_quads = (data_quads & (~(14'h1 << 9))) | ({13'h0, ^datum[39:36]} << 9);
    data_quads = (data_quads & (~(14'h1 << 10))) | ({13'h0, ^datum[43:40]} << 10);
    data_quads = (data_quads & (~(14'h1 << 11))) | ({13'h0, ^datum[47:44]} << 11);
    data_quads = (data_quads & (~(14'h1 << 12))) | ({13'h0, ^datum[51:48]} << 12);
    data_quads = (data_quads & (~(14'h1 << 13))) | ({13'h0, ^datum[54:52]} << 13);
  end

  assign same_granule_d = granule_pairs;
  assign same_pasid_d = pasid_pairs;
  assign any_pasid_d = seen[75];
  assign same_function_d = seen[87:86] == asked_function;
  assign same_generation_d = seen[79:76] == asked_generation;
  assign same_kind_d = (seen[72] == asked_pasid_valid) & (seen[73] == (asked_privileged & asked_pasid_valid));
  assign present_d = seen[83] & (~clash_q);
  assign allowed_d = ((seen[80] | (~asked_read)) & (seen[81] | (~asked_write))) & (seen[82] | (~asked_exec));
  assign odd_granule_d = granule_quads;
  assign even_granule_d = seen[84];
  assign odd_rest_d = rest_quads;
  assign odd_function_d = ^seen[87:86];
  assign even_rest_d = seen[85];
  assign odd_data_d = data_quads;
  assign data_0_d = datum[53:0];
  // e2: the rest of both.
  assign is_named_d = ((((((&same_granule_q) & ((&same_pasid_q) | any_pasid_q)) & same_function_q) & same_generation_q) & same_kind_q) & present_q) & (~asked_elsewhere);
  assign odd = (((^odd_granule_q) ^ even_granule_q) | (((^odd_rest_q) ^ odd_function_q) ^ even_rest_q)) | (^odd_data_q);
  assign is_odd_d = odd;
  assign is_good_d = allowed_q & (~odd);
  assign was_present_d = present_q;
  assign data_1_d = data_0_q;
  assign named = is_named_q;
  assign good = is_good_q;
  assign sound = ~is_odd_q;
  assign valid = was_present_q;
  assign address = data_1_q[51:0];
  assign untranslated = data_1_q[52];
  assign no_snoop = data_1_q[53];
  // Engine: read, word, partial compares, judgement.
  assign tag_ram_rd1_en = 1'b1;
  assign tag_ram_rd1_addr = engine_set;
  assign engine_tag_d = tag_ram_rd1_data;
  assign found = engine_tag_q;
  assign differs_0_d = |((found[12:0] ^ key_granule[12:0]) & key_compare[12:0]);
  assign differs_1_d = |((found[25:13] ^ key_granule[25:13]) & key_compare[25:13]);
  assign differs_2_d = |((found[38:26] ^ key_granule[38:26]) & key_compare[38:26]);
  assign differs_3_d = |((found[51:39] ^ key_granule[51:39]) & key_compare[51:39]);
  assign generation_d = found[79:76] == key_generation;
  assign engine_valid_d = found[83];
  assign engine_odd_granule_d = (^found[51:0]) ^ found[84];
  assign engine_odd_rest_d = ((^found[83:52]) ^ (^found[87:86])) ^ found[85];
  assign owner_entry_function = found[87:86];
  assign owner_entry_pasid = found[71:52];
  assign owner_entry_pasid_valid = found[72];
  assign owner_entry_privileged = found[73];
  assign owner_entry_global = found[74];
  assign owner_entry_any_pasid = found[75];
  assign owner_key_function = key_function;
  assign owner_key_pasid = key_pasid;
  assign owner_key_pasid_valid = key_pasid_valid;
  assign owner_key_privileged = key_privileged;
  assign owner_key_global = key_global;
  assign owner_key_any_pasid = key_any_pasid;
  assign owner_key_all = key_all;
  assign overlap = ~(((differs_0_q | differs_1_q) | differs_2_q) | differs_3_q);
  assign broken = engine_odd_granule_q | engine_odd_rest_q;
  assign is_rival_d = engine_valid_q & (broken | ((overlap & owner_rival) & generation_q));
  assign is_free_d = (~engine_valid_q) | (owner_same_function & (~generation_q));
  assign is_dropped_d = engine_valid_q & ((broken | owner_everywhere) | (owner_in_range & overlap));
  assign rival = is_rival_q;
  assign free = is_free_q;
  assign drop = is_dropped_q;

  always @(posedge clock) begin
    clash_q <= clash_d;
    same_granule_q <= same_granule_d;
    same_pasid_q <= same_pasid_d;
    any_pasid_q <= any_pasid_d;
    same_function_q <= same_function_d;
    same_generation_q <= same_generation_d;
    same_kind_q <= same_kind_d;
    present_q <= present_d;
    allowed_q <= allowed_d;
    odd_granule_q <= odd_granule_d;
    even_granule_q <= even_granule_d;
    odd_rest_q <= odd_rest_d;
    odd_function_q <= odd_function_d;
    even_rest_q <= even_rest_d;
    odd_data_q <= odd_data_d;
    data_0_q <= data_0_d;
    data_1_q <= data_1_d;
    is_named_q <= is_named_d;
    is_odd_q <= is_odd_d;
    is_good_q <= is_good_d;
    was_present_q <= was_present_d;
    engine_tag_q <= engine_tag_d;
    differs_0_q <= differs_0_d;
    differs_1_q <= differs_1_d;
    differs_2_q <= differs_2_d;
    differs_3_q <= differs_3_d;
    generation_q <= generation_d;
    engine_valid_q <= engine_valid_d;
    engine_odd_granule_q <= engine_odd_granule_d;
    engine_odd_rest_q <= engine_odd_rest_d;
    is_rival_q <= is_rival_d;
    is_free_q <= is_free_d;
    is_dropped_q <= is_dropped_d;
  end
endmodule

`default_nettype wire
