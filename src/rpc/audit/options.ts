import { explicitBoolean, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

export const auditOptions = defineOptions('Audit log', {
  enabled: {
    flag: '--audit-log-enabled',
    kind: explicitBoolean,
    default: true,
    help: 'Write every JSON-RPC call that changes how this node works to the audit log, with who called, what differed and a hash of the line before. Where it cannot be written, such calls are refused.',
  },
  file: {
    flag: '--audit-log-file',
    kind: path,
    help: 'File of the audit log, made by the first such call. It only grows; cairn audit verify checks it.',
    defaultText: '<data path>/audit.jsonl',
  },
})
