import { Visitor } from "@swc/core/Visitor.js";

type Statement = Parameters<Visitor["visitStatement"]>[0];
type Declarators = Parameters<Visitor["visitVariableDeclarators"]>[0];

function isUsing(statement: { type: string }): statement is { type: string; decls: Declarators } {
  return statement.type === "UsingDeclaration" && "decls" in statement && Array.isArray(statement.decls);
}

/**
 * swc parses `using` and `await using`, but the visitor of dependency-cruiser throws on them. Idempotent. Every other statement that the
 * visitor does not know still throws.
 */
export function visitUsing(): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own `this` below
  const { visitStatement } = Visitor.prototype;
  if (visitStatement.name === "visitStatementWithUsing") return;
  Visitor.prototype.visitStatement = function visitStatementWithUsing(statement): Statement {
    if (!isUsing(statement)) return visitStatement.call(this, statement);
    this.visitVariableDeclarators(statement.decls);
    return statement;
  };
}
