// Simulates accounts and attackers, and prints how many attacks are noticed. Usage: run.ts [--accounts N] [--seeds N,…] [--config YAML]
// oxlint-disable-next-line import/no-unassigned-import -- it registers the hook
import "../../../tools/bundle/raw-text-hook.ts";

// This import follows the hook, because the module imports Lua scripts as text.
await import("./print-report.ts");
