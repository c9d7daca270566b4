// rnic_xlat_atc_base_f2_a6_w4: base-granule array of the ATC
//
// rnic-xlat 0.1.0, configuration small
// Parameters: F = 2, A = 6, W = 4
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module rnic_xlat_atc_base_f2_a6_w4 (
  input  wire        clock,
  input  wire        reset,

  // Lookup e0
  input  wire [5:0]  lookup_set,

  // Lookup e1
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

  // Lookup e3
  input  wire        live,
  input  wire [5:0]  live_set,
  output wire        hit,
  output wire        named,
  output wire        odd,
  output wire [51:0] address,
  output wire        untranslated,
  output wire        no_snoop,

  // Engine: key of the fill or the invalidation
  input  wire [5:0]  engine_set,
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

  // Engine: what becomes of the ways
  output wire [3:0]  rivals,
  output wire [3:0]  frees,
  output wire [3:0]  drops,
  output wire [5:0]  order,

  // Engine: write port
  input  wire [3:0]  write_ways,
  input  wire [5:0]  write_set,
  input  wire [3:0]  write_valid,
  input  wire [87:0] write_tag,
  input  wire [54:0] write_data,

  // Engine: order of use
  input  wire        order_clear,
  input  wire        order_touch
);

  // Signals
  wire        clash;
  reg         names;
  reg  [3:0]  hits;
  reg         wrong;
  reg  [51:0] page;
  reg         is_untranslated;
  reg         is_no_snoop;
  reg  [3:0]  rival_ways;
  reg  [3:0]  free_ways;
  reg  [3:0]  drop_ways;
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
  wire        lru_reset;
  wire [5:0]  lru_lookup_set;
  wire [5:0]  lru_lookup_order;
  wire [5:0]  lru_engine_set;
  wire [5:0]  lru_engine_order;
  wire        lru_clear_en;
  wire [5:0]  lru_clear_set;
  reg         lru_touch_en;
  reg  [5:0]  lru_touch_set;
  reg  [3:0]  lru_touch_ways;
  reg  [5:0]  lru_touch_order;

  // Registers
  reg  [3:0] used_ways_q = 4'h0;
  reg  [3:0] used_ways_d;
  reg  [5:0] used_set_q = 6'h0;
  wire [5:0] used_set_d;
  reg  [5:0] used_order_q = 6'h0;
  wire [5:0] used_order_d;

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

  rnic_xlat_atc_lru_a6 lru (
    .clock(clock),
    .reset(lru_reset),
    .lookup_set(lru_lookup_set),
    .lookup_order(lru_lookup_order),
    .engine_set(lru_engine_set),
    .engine_order(lru_engine_order),
    .clear_en(lru_clear_en),
    .clear_set(lru_clear_set),
    .touch_en(lru_touch_en),
    .touch_set(lru_touch_set),
    .touch_ways(lru_touch_ways),
    .touch_order(lru_touch_order)
  );

  assign clash = lookup_set == write_set;

  always @* begin
    names = 1'b0;
    names = names | (way_0_named & way_0_sound);
    names = names | (way_1_named & way_1_sound);
    names = names | (way_2_named & way_2_sound);
    names = names | (way_3_named & way_3_sound);
  end

  always @* begin
    hits = 4'h0;
    page = 52'h0;
    is_untranslated = 1'b0;
    is_no_snoop = 1'b0;
    hits = (hits & (~(4'h1 << 0))) | ({3'h0, (way_0_named & way_0_good) & live} << 0);
    if (hits[0]) begin
      page = page | way_0_address;
      is_untranslated = is_untranslated | way_0_untranslated;
      is_no_snoop = is_no_snoop | way_0_no_snoop;
    end
    hits = (hits & (~(4'h1 << 1))) | ({3'h0, (way_1_named & way_1_good) & live} << 1);
    if (hits[1]) begin
      page = page | way_1_address;
      is_untranslated = is_untranslated | way_1_untranslated;
      is_no_snoop = is_no_snoop | way_1_no_snoop;
    end
    hits = (hits & (~(4'h1 << 2))) | ({3'h0, (way_2_named & way_2_good) & live} << 2);
    if (hits[2]) begin
      page = page | way_2_address;
      is_untranslated = is_untranslated | way_2_untranslated;
      is_no_snoop = is_no_snoop | way_2_no_snoop;
    end
    hits = (hits & (~(4'h1 << 3))) | ({3'h0, (way_3_named & way_3_good) & live} << 3);
    if (hits[3]) begin
      page = page | way_3_address;
      is_untranslated = is_untranslated | way_3_untranslated;
      is_no_snoop = is_no_snoop | way_3_no_snoop;
    end
  end

  always @* begin
    wrong = 1'b0;
    wrong = wrong | (way_0_valid & (~way_0_sound));
    wrong = wrong | (way_1_valid & (~way_1_sound));
    wrong = wrong | (way_2_valid & (~way_2_sound));
    wrong = wrong | (way_3_valid & (~way_3_sound));
  end

  always @* begin
    rival_ways = 4'h0;
    rival_ways = (rival_ways & (~(4'h1 << 0))) | ({3'h0, way_0_rival} << 0);
    rival_ways = (rival_ways & (~(4'h1 << 1))) | ({3'h0, way_1_rival} << 1);
    rival_ways = (rival_ways & (~(4'h1 << 2))) | ({3'h0, way_2_rival} << 2);
    rival_ways = (rival_ways & (~(4'h1 << 3))) | ({3'h0, way_3_rival} << 3);
  end

  always @* begin
    free_ways = 4'h0;
    free_ways = (free_ways & (~(4'h1 << 0))) | ({3'h0, way_0_free} << 0);
    free_ways = (free_ways & (~(4'h1 << 1))) | ({3'h0, way_1_free} << 1);
    free_ways = (free_ways & (~(4'h1 << 2))) | ({3'h0, way_2_free} << 2);
    free_ways = (free_ways & (~(4'h1 << 3))) | ({3'h0, way_3_free} << 3);
  end

  always @* begin
    drop_ways = 4'h0;
    drop_ways = (drop_ways & (~(4'h1 << 0))) | ({3'h0, way_0_drop} << 0);
    drop_ways = (drop_ways & (~(4'h1 << 1))) | ({3'h0, way_1_drop} << 1);
    drop_ways = (drop_ways & (~(4'h1 << 2))) | ({3'h0, way_2_drop} << 2);
    drop_ways = (drop_ways & (~(4'h1 << 3))) | ({3'h0, way_3_drop} << 3);
  end

  assign way_0_lookup_set = lookup_set;
  assign way_0_lookup_clash = clash;
  assign way_0_asked_granule = asked_granule;
  assign way_0_asked_function = asked_function;
  assign way_0_asked_generation = asked_generation;
  assign way_0_asked_pasid = asked_pasid;
  assign way_0_asked_pasid_valid = asked_pasid_valid;
  assign way_0_asked_privileged = asked_privileged;
  assign way_0_asked_read = asked_read;
  assign way_0_asked_write = asked_write;
  assign way_0_asked_exec = asked_exec;
  assign way_0_asked_elsewhere = asked_elsewhere;
  assign way_0_engine_set = engine_set;
  assign way_0_key_granule = key_granule;
  assign way_0_key_compare = key_compare;
  assign way_0_key_function = key_function;
  assign way_0_key_generation = key_generation;
  assign way_0_key_pasid = key_pasid;
  assign way_0_key_pasid_valid = key_pasid_valid;
  assign way_0_key_privileged = key_privileged;
  assign way_0_key_global = key_global;
  assign way_0_key_any_pasid = key_any_pasid;
  assign way_0_key_all = key_all;
  assign way_0_write_en = write_ways[0];
  assign way_0_write_set = write_set;
  assign way_0_write_valid = write_valid[0];
  assign way_0_write_tag = write_tag;
  assign way_0_write_data = write_data;
  assign way_1_lookup_set = lookup_set;
  assign way_1_lookup_clash = clash;
  assign way_1_asked_granule = asked_granule;
  assign way_1_asked_function = asked_function;
  assign way_1_asked_generation = asked_generation;
  assign way_1_asked_pasid = asked_pasid;
  assign way_1_asked_pasid_valid = asked_pasid_valid;
  assign way_1_asked_privileged = asked_privileged;
  assign way_1_asked_read = asked_read;
  assign way_1_asked_write = asked_write;
  assign way_1_asked_exec = asked_exec;
  assign way_1_asked_elsewhere = asked_elsewhere;
  assign way_1_engine_set = engine_set;
  assign way_1_key_granule = key_granule;
  assign way_1_key_compare = key_compare;
  assign way_1_key_function = key_function;
  assign way_1_key_generation = key_generation;
  assign way_1_key_pasid = key_pasid;
  assign way_1_key_pasid_valid = key_pasid_valid;
  assign way_1_key_privileged = key_privileged;
  assign way_1_key_global = key_global;
  assign way_1_key_any_pasid = key_any_pasid;
  assign way_1_key_all = key_all;
  assign way_1_write_en = write_ways[1];
  assign way_1_write_set = write_set;
  assign way_1_write_valid = write_valid[1];
  assign way_1_write_tag = write_tag;
  assign way_1_write_data = write_data;
  assign way_2_lookup_set = lookup_set;
  assign way_2_lookup_clash = clash;
  assign way_2_asked_granule = asked_granule;
  assign way_2_asked_function = asked_function;
  assign way_2_asked_generation = asked_generation;
  assign way_2_asked_pasid = asked_pasid;
  assign way_2_asked_pasid_valid = asked_pasid_valid;
  assign way_2_asked_privileged = asked_privileged;
  assign way_2_asked_read = asked_read;
  assign way_2_asked_write = asked_write;
  assign way_2_asked_exec = asked_exec;
  assign way_2_asked_elsewhere = asked_elsewhere;
  assign way_2_engine_set = engine_set;
  assign way_2_key_granule = key_granule;
  assign way_2_key_compare = key_compare;
  assign way_2_key_function = key_function;
  assign way_2_key_generation = key_generation;
  assign way_2_key_pasid = key_pasid;
  assign way_2_key_pasid_valid = key_pasid_valid;
  assign way_2_key_privileged = key_privileged;
  assign way_2_key_global = key_global;
  assign way_2_key_any_pasid = key_any_pasid;
  assign way_2_key_all = key_all;
  assign way_2_write_en = write_ways[2];
  assign way_2_write_set = write_set;
  assign way_2_write_valid = write_valid[2];
  assign way_2_write_tag = write_tag;
  assign way_2_write_data = write_data;
  assign way_3_lookup_set = lookup_set;
  assign way_3_lookup_clash = clash;
  assign way_3_asked_granule = asked_granule;
  assign way_3_asked_function = asked_function;
  assign way_3_asked_generation = asked_generation;
  assign way_3_asked_pasid = asked_pasid;
  assign way_3_asked_pasid_valid = asked_pasid_valid;
  assign way_3_asked_privileged = asked_privileged;
  assign way_3_asked_read = asked_read;
  assign way_3_asked_write = asked_write;
  assign way_3_asked_exec = asked_exec;
  assign way_3_asked_elsewhere = asked_elsewhere;
  assign way_3_engine_set = engine_set;
  assign way_3_key_granule = key_granule;
  assign way_3_key_compare = key_compare;
  assign way_3_key_function = key_function;
  assign way_3_key_generation = key_generation;
  assign way_3_key_pasid = key_pasid;
  assign way_3_key_pasid_valid = key_pasid_valid;
  assign way_3_key_privileged = key_privileged;
  assign way_3_key_global = key_global;
  assign way_3_key_any_pasid = key_any_pasid;
  assign way_3_key_all = key_all;
  assign way_3_write_en = write_ways[3];
  assign way_3_write_set = write_set;
  assign way_3_write_valid = write_valid[3];
  assign way_3_write_tag = write_tag;
  assign way_3_write_data = write_data;
  assign hit = |hits;
  assign named = names;
  assign odd = wrong;
  assign address = page;
  assign untranslated = is_untranslated;
  assign no_snoop = is_no_snoop;
  assign rivals = rival_ways;
  assign frees = free_ways;
  assign drops = drop_ways;

  always @* begin
    // e4: the use of the way that hit; a fill goes first.
    used_ways_d = hits;
    if (reset) begin
      used_ways_d = 4'h0;
    end
  end

  assign used_set_d = live_set;
  assign used_order_d = lru_lookup_order;
  assign order = lru_engine_order;
  assign lru_reset = reset;
  assign lru_lookup_set = lookup_set;
  assign lru_engine_set = engine_set;
  assign lru_clear_en = order_clear;
  assign lru_clear_set = engine_set;

  always @* begin
    lru_touch_en = |used_ways_q;
    lru_touch_set = used_set_q;
    lru_touch_ways = used_ways_q;
    lru_touch_order = used_order_q;
    if (order_touch) begin
      lru_touch_en = 1'b1;
      lru_touch_set = engine_set;
      lru_touch_ways = write_valid;
      lru_touch_order = lru_engine_order;
    end
  end

  always @(posedge clock) begin
    used_ways_q <= used_ways_d;
    used_set_q <= used_set_d;
    used_order_q <= used_order_d;
  end
endmodule

`default_nettype wire
