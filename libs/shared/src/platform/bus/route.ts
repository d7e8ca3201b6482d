import { type BusMethod, instanceMethodName } from "../../contracts/define.ts";
import { methodSubject } from "../../contracts/subjects.ts";

/** The parts of a method that form its subject, and that decide which replicas may receive a request. */
export type MethodName = Pick<BusMethod, "service" | "name" | "major" | "repeatable" | "instance">;

/** Where the requests of a method go. */
export interface Route {
  /** Service and method, for people. */
  readonly name: string;
  readonly service: string;
  /** The subject of the queue group, or of the only replica. */
  readonly subject: string;
  /** Whether every replica of the service serves the method. */
  readonly isShared: boolean;
  readonly isRepeatable: boolean;
  /** The subject on which one replica serves the method. */
  readonly subjectAt: (instance: string) => string;
}

/** Finds routes by the method's identity. */
export function createRouteTable(namespace: string): (method: MethodName) => Route {
  const known = new WeakMap<MethodName, Route>();
  return (method) => {
    const found = known.get(method);
    if (found !== undefined) return found;
    const route = {
      name: `${method.service}/${method.name}`,
      service: method.service,
      subject: methodSubject(namespace, method),
      isShared: method.instance === undefined,
      isRepeatable: method.repeatable === true,
      subjectAt: (instance: string) =>
        methodSubject(namespace, { ...method, name: instanceMethodName(method.name, instance) }),
    };
    known.set(method, route);
    return route;
  };
}
