import { testEffects } from "./console-effects-by-role.ts";

// The role that may do everything. The others are in test/long/pages.
testEffects(["admin"]);
