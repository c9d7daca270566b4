// Properties of skid2; the names are those of the module it is included in.

// The payload is zero while valid is low, and the spare register is used only behind a full output register.
always @* begin
  if (!out_valid) assert (out_data == 0);
  if (spare_valid_q) assert (out_valid && !in_ready);
end

// What is offered stays until it is taken.
reg  past_offered = 0;
reg  [W-1:0] past_data = 0;
always @(posedge clock) begin
  past_offered <= out_valid && !out_ready && !reset;
  past_data <= out_data;
end
always @* if (past_offered) assert (out_valid && out_data == past_data);
