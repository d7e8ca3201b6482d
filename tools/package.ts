// Builds the Debian package into .run/package. Usage: tools/package.ts [--version VERSION] [--architecture amd64|arm64] [--key KEY] [--fast]
// oxlint-disable-next-line import/no-unassigned-import -- it registers the hook
import "./bundle/raw-text-hook.ts";

// This import follows the hook, because the module imports Lua scripts as text.
await import("./make-package.ts");
