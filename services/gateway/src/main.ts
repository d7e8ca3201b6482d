import { runService } from "@postern/shared/platform/lifecycle";
import { gateway } from "./start.ts";

await runService(gateway);
