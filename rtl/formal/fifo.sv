// Properties of fifo; the names are those of the module it is included in.

// Entries in the RAM: the difference of the pointers, which is never as many as the RAM has words.
wire [A-1:0] stored = wr_ptr_q - rd_ptr_q;
wire [A+1:0] everywhere = stored + fetched_q + valid_q;

always @* begin
  if (!out_valid) assert (out_data == 0);
  assert (level == everywhere);
  assert (level <= depth);
  if (in_ready) assert (level < depth);
  // The RAM is DISJOINT: no word is read at the edge of its own write.
  if (ram_wr_en && ram_rd_en) assert (ram_wr_addr != ram_rd_addr);
end

// What is offered stays until it is taken.
reg  past_offered = 0;
reg  [W-1:0] past_data = 0;
always @(posedge clock) begin
  past_offered <= out_valid && !out_ready && !reset;
  past_data <= out_data;
end
always @* if (past_offered) assert (out_valid && out_data == past_data);
