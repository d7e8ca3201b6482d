import { testEffects } from "../../integration/admin/console-effects-by-role.ts";

// A role that may do some actions and not others.
testEffects(["helpdesk"], { shape: "one" });
