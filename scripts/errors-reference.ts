// docs/reference/errors.md: every JSON-RPC error.
import { RPC_ERRORS } from '#jsonrpc/error-table.ts'

export function formatErrors(notice: string): string {
  const rows = Object.entries(RPC_ERRORS).map(
    ([kind, { code, message }]) => `| ${kind} | ${code} | ${message} |`,
  )
  return [
    '# JSON-RPC errors',
    '',
    `<!-- ${notice} -->`,
    '',
    'The name is the label `error` of the metric `rpc_errors_total`. If an error has a reason, its text is',
    '`message (reason)`. Further data is in the member `data`.',
    '[Troubleshooting](troubleshooting.md#a-call-is-refused-or-fails) has cause and remedy of those that do not explain themselves.',
    '',
    '| Name | Code | Message |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
