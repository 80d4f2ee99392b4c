// Sends every phit of @PERIODS@ periods and checks, in every slot and at every processor, that exactly
// the phits of the list below arrive: from the right processor, in the right slot, unchanged. Prints PASS,
// or FAIL and ends with $fatal.
module tdm_test;
    localparam int PERIOD = @PERIOD@;
    localparam int PERIODS = @PERIODS@;
    localparam int PROCESSORS = @PROCESSORS@;
    localparam int PHITS = @PHITS@;
    localparam int WORDS = @WORDS@;
    localparam int LONGEST = @LONGEST@;
    localparam int MOST_SHOWN = 10;

    // Of every word: sender, receiver, start, and the slots from its start to the ejection.
    localparam int WORD[WORDS][4] = '{
@LIST@
    };

    logic clock = 0;
    logic reset = 1;
    int cycle = 0;
    int received = 0;
    int errors = 0;
    // The number of the phit that a processor sends or receives in a slot, or -1.
    int sends[PROCESSORS][PERIOD];
    int receives[PROCESSORS][PERIOD];

    logic [@SLOT@-1:0] slot;
    logic [PROCESSORS-1:0] send_due, send_valid, receive_valid;
    logic [PROCESSORS-1:0][@NUMBER@-1:0] send_to, receive_from;
    logic [PROCESSORS-1:0][63:0] send_data, receive_data;

    tdm_noc #(.WIDTH(64)) noc (.*);

    initial begin
        for (int p = 0; p < PROCESSORS; p++)
            for (int s = 0; s < PERIOD; s++) begin
                sends[p][s] = -1;
                receives[p][s] = -1;
            end
        for (int w = 0; w < WORDS; w++)
            for (int phit = 0; phit < PHITS; phit++) begin
                sends[WORD[w][0]][(WORD[w][2] + phit) % PERIOD] = w * PHITS + phit;
                receives[WORD[w][1]][(WORD[w][2] + WORD[w][3] + phit) % PERIOD] = w * PHITS + phit;
            end
        repeat (4) #1 clock = ~clock;
        reset = 0;
        forever #1 clock = ~clock;
    end

    // A phit carries the cycle in which it is sent, and its number.
    always_comb
        for (int p = 0; p < PROCESSORS; p++) begin
            send_valid[p] = sends[p][cycle % PERIOD] >= 0 && cycle < PERIODS * PERIOD;
            send_data[p] = {cycle, sends[p][cycle % PERIOD]};
        end

    task automatic fail(input int processor, input string what);
        errors = errors + 1;
        if (errors <= MOST_SHOWN)
            $display("processor %0d, cycle %0d, slot %0d: %s", processor, cycle, cycle % PERIOD, what);
    endtask

    task automatic check(input int p);
        int sent, due, born;
        sent = sends[p][cycle % PERIOD];
        due = receives[p][cycle % PERIOD];
        if (send_due[p] != (sent >= 0)) fail(p, "the interface sends in the wrong slot");
        else if (sent >= 0 && int'(send_to[p]) != WORD[sent / PHITS][1]) fail(p, "the interface sends to the wrong processor");
        born = due < 0 ? -1 : cycle - WORD[due / PHITS][3];
        if (born < 0 || born >= PERIODS * PERIOD) begin
            if (receive_valid[p]) fail(p, "a phit arrives that is not due");
        end else if (!receive_valid[p]) fail(p, "no phit arrives");
        else if (receive_data[p] != {born, due}) fail(p, "a wrong phit arrives");
        else if (int'(receive_from[p]) != WORD[due / PHITS][0]) fail(p, "the interface names the wrong sender");
        else received = received + 1;
    endtask

    always @(posedge clock)
        if (!reset) begin
            if (int'(slot) != cycle % PERIOD) fail(0, "the slot counter is wrong");
            for (int p = 0; p < PROCESSORS; p++) check(p);
            cycle <= cycle + 1;
            if (cycle == PERIODS * PERIOD + LONGEST) begin
                if (errors == 0 && received == WORDS * PHITS * PERIODS) begin
                    $display("PASS: %0d phits in %0d periods of %0d slots", received, PERIODS, PERIOD);
                    $finish;
                end else begin
                    $display("FAIL: %0d errors, %0d of %0d phits received", errors, received, WORDS * PHITS * PERIODS);
                    $fatal(1);
                end
            end
        end
endmodule
