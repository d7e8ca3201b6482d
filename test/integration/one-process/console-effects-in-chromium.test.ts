import { testEffects } from "../admin/console-effects-by-role.ts";

// A role that may do some actions and not others. Where the services run apart, the tests of every role are in the folders of admin and test/long/pages.
testEffects(["helpdesk"], { shape: "one" });
