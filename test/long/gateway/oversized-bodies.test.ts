import { exposed, testOversizedBodies } from "../../integration/gateway/oversized-bodies.ts";

testOversizedBodies(exposed);
