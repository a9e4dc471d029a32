import { LONG_ARGS_MAX_BYTES, type OwnerOf, question } from '#platform/contract.ts'
import type { AuditEntry, AuditOutcome, ChangeSubject } from './audit-entry.ts'
import type { AuditTail } from './audit-line.ts'
import type { AuditTurn } from './audit-log.ts'

/** Longer than the preceding calls may take. */
const BEGIN_DEADLINE_MS = 200_000

export const AUDIT = {
  /** Called before a change; resolves when preceding calls with the same subject have ended. */
  begin: question<[subject: ChangeSubject, entry: AuditEntry, owner: string], AuditTurn>({
    deadlineMs: BEGIN_DEADLINE_MS,
    maxArgBytes: LONG_ARGS_MAX_BYTES,
  }),
  /** Resolves when the line is written. */
  end: question<[turn: number, outcome: AuditOutcome], void>({ maxArgBytes: LONG_ARGS_MAX_BYTES }),
  /** Returns the last bytes of the log, or undefined if there is no audit log. */
  tail: question<[], AuditTail | undefined>(),
}

export type LiveAudit = OwnerOf<typeof AUDIT>
