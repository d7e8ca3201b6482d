import { accepted } from "./conformance/accepted.ts";
import { conformancePage } from "./conformance/page.ts";
import { readRecorded, readReviews } from "./conformance/recorded.ts";
import { generate } from "./write-or-check.ts";

const lists = { accepted, reviews: readReviews() };

generate(new Map([["docs/contributing/oidc-conformance.md", conformancePage(readRecorded(), lists)]]));
