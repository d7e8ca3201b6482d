import { describe, expect, it } from "vitest";
import { parseWrkOutput } from "./wrk-output.ts";

const quiet = `Running 2s test @ http://127.0.0.1:40713/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     2.15ms    1.35ms  28.93ms   93.87%
    Req/Sec    31.47k     3.42k   36.55k    75.00%
  Latency Distribution
     50%    1.81ms
     75%    2.41ms
     90%    3.20ms
     99%    7.52ms
  62655 requests in 2.00s, 35.97MB read
Requests/sec:  31299.34
Transfer/sec:     17.97MB
`;

describe("parseWrkOutput", () => {
  it("reads requests, seconds and percentiles", () => {
    expect(parseWrkOutput(quiet)).toEqual({
      requests: 62_655,
      seconds: 2,
      p50Ms: 1.81,
      p99Ms: 7.52,
      refused: 0,
      socketErrors: 0,
    });
  });

  it("converts every unit of wrk to milliseconds and seconds, whatever wrk pads its columns with", () => {
    const slow = quiet.replace("1.81ms", "812.00us").replace("7.52ms", "1.25s ").replace("in 2.00s", "in 1.50m");
    expect(parseWrkOutput(slow)).toMatchObject({ p50Ms: 0.812, p99Ms: 1250, seconds: 90 });
  });

  it("adds up socket errors and counts refusals separately", () => {
    const bad = quiet.replace(
      "Requests/sec",
      "  Socket errors: connect 1, read 20, write 300, timeout 4000\n  Non-2xx or 3xx responses: 62655\nRequests/sec",
    );
    expect(parseWrkOutput(bad)).toMatchObject({ socketErrors: 4321, refused: 62_655 });
  });

  it("rejects output without a result, and shows it", () => {
    expect(() => parseWrkOutput("unable to connect to 127.0.0.1:1 Connection refused")).toThrow(/unable to connect/);
  });
});
