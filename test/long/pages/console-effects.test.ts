import { testEffects } from "../../integration/admin/console-effects-by-role.ts";

testEffects(["helpdesk", "security"]);
