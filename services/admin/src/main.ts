import { runService } from "@postern/shared/platform/lifecycle";
import { admin } from "./start.ts";

await runService(admin);
