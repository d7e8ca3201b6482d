import { accepted, declined } from "./conformance/accepted.ts";
import { conformancePage } from "./conformance/page.ts";
import { readRecorded } from "./conformance/recorded.ts";
import { generate } from "./write-or-check.ts";

generate(new Map([["docs/integrations/oidc-conformance.md", conformancePage(readRecorded(), accepted, declined)]]));
