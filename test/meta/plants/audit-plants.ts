import type { Plants } from './plant.ts'

const LINE = 'src/jsonrpc/audit/audit-line.ts'
const VERIFY_TEST = 'src/jsonrpc/audit/verify-audit.test.ts'
const LOG = 'src/jsonrpc/audit/audit-log.ts'
const LOG_TEST = 'src/jsonrpc/audit/audit-log.test.ts'

export const AUDIT_PLANTS: Plants = {
  'audit-any-hash': {
    mistake: 'a line with a wrong hash is accepted',
    file: LINE,
    from: 'isIntact: sha256Of(start) === hash && ',
    to: 'isIntact: ',
    caughtBy: VERIFY_TEST,
  },
  'audit-locks-are-open': {
    mistake: 'a method that is not declared as changing state can change it',
    file: 'src/jsonrpc/audit/audited-call.ts',
    from: 'row.changes !== undefined && row.changes !== subject ? [name] : []',
    to: 'row.changes === subject ? [] : []',
    caughtBy: 'src/api/changing-resources.test.ts',
  },
  'audit-goes-on-unwritten': {
    mistake: 'changes are applied while the log cannot be written',
    file: LOG,
    from: 'if (!(await this.#flush())) {',
    to: 'if (!(await this.#flush()) && this.#turns < 0) {',
    caughtBy: LOG_TEST,
  },
  'audit-torn-is-nothing': {
    mistake: 'a change that a crash interrupted is not reported',
    file: LOG,
    from: 'if (unreadable !== undefined) await this.#flush()',
    to: 'if (unreadable !== undefined) return',
    caughtBy: LOG_TEST,
  },
}
