import type { HelpdeskRule } from "@postern/shared/contracts";
import type { Audit } from "@postern/shared/domain/audit";
import type { Logger } from "@postern/shared/platform/logging";
import type { Clock } from "@postern/shared/platform/time";
import type { Act } from "../operators/act.ts";
import type { Admit } from "../operators/admit.ts";
import type { EventStreams } from "../operators/event-streams.ts";
import type { FindOperator } from "../operators/operator.ts";
import type { AskApi, StreamApi } from "../operators/operator-api.ts";
import type { OperatorSessions, SignInAttempts } from "../operators/operator-session.ts";
import type { Provider } from "../operators/provider-http.ts";
import type { FindReach } from "../operators/reach.ts";
import type { FindRole } from "../operators/role-lookup.ts";
import type { SubjectHandles } from "../operators/subject-handles.ts";
import type { ConsoleAsset } from "./console-assets.ts";
import type { ConsoleCookies } from "./console-cookies.ts";
import type { ConsolePage, ShowPage } from "./console-document.ts";

/** What the pages of the console need. */
export interface ConsolePagesDeps {
  readonly origin: string;
  readonly show: ShowPage;
  readonly assets: readonly ConsoleAsset[];
  readonly apiPage: ConsolePage;
  readonly streams: EventStreams;
  readonly cookies: ConsoleCookies;
  readonly sessions: OperatorSessions;
  readonly attempts: SignInAttempts;
  readonly provider: Provider;
  readonly findRole: FindRole;
  readonly admit: Admit;
  readonly findReach: FindReach;
  readonly findOperator: FindOperator;
  readonly ask: AskApi;
  readonly stream: StreamApi;
  readonly act: Act;
  readonly handles: SubjectHandles;
  readonly helpdesk: () => HelpdeskRule;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly logger: Logger;
}
