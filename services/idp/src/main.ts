import { runService } from "@postern/shared/platform/lifecycle";
import { identityProvider } from "./start.ts";

await runService(identityProvider);
