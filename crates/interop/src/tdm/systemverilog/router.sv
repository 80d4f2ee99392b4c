// A crossbar with DEPTH register stages behind it. The select of an output is 0 if it is idle and i + 1
// if it is connected to input i. A phit has WIDTH bits and, above them, a bit that says that it is one.
module tdm_router #(
    parameter int INPUTS = 1,
    parameter int OUTPUTS = 1,
    parameter int SELECT = 1,
    parameter int DEPTH = 1,
    parameter int WIDTH = 32
) (
    input logic clock,
    input logic reset,
    input logic [OUTPUTS-1:0][SELECT-1:0] select,
    input logic [INPUTS-1:0][WIDTH:0] inputs,
    output logic [OUTPUTS-1:0][WIDTH:0] outputs
);
    logic [OUTPUTS-1:0][WIDTH:0] connected;
    logic [DEPTH-1:0][OUTPUTS-1:0][WIDTH:0] stages;

    always_comb begin
        connected = '0;
        for (int out = 0; out < OUTPUTS; out++)
            for (int in = 0; in < INPUTS; in++)
                if (select[out] == SELECT'(in + 1)) connected[out] = inputs[in];
    end

    always_ff @(posedge clock) begin
        if (reset) stages <= '0;
        else begin
            stages[0] <= connected;
            for (int stage = 1; stage < DEPTH; stage++) stages[stage] <= stages[stage-1];
        end
    end

    assign outputs = stages[DEPTH-1];
endmodule
