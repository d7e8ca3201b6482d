// Compares the cost of Postern's decisions with lower bounds, in one run. Usage: bench/run.ts [--long] [--only WORDS]... [--minutes N] [--record]
// --only runs the scenarios whose names contain the words, those of the long run included. --record keeps the results for the documentation.
// oxlint-disable-next-line import/no-unassigned-import -- it registers the hook
import "../tools/bundle/raw-text-hook.ts";

// This import follows the hook, because the module imports Lua scripts as text.
await import("./benchmark.ts");
