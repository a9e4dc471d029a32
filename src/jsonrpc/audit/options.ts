import { explicitBoolean, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

export const auditOptions = defineOptions('Audit log', {
  enabled: {
    flag: '--audit-log-enabled',
    kind: explicitBoolean,
    default: true,
    help: 'Log every JSON-RPC call that changes the node.',
    details:
      'An entry has the caller, the change and the hash of the previous entry. If the log is not writable, such calls are refused.',
  },
  file: {
    flag: '--audit-log-file',
    kind: path,
    help: 'Audit log file; `cairn audit verify` checks it.',
    defaultText: '<data path>/audit.jsonl',
  },
})
