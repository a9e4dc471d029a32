// docs/errors.md: every error of JSON-RPC, and whether this version produces it.
import { join } from 'node:path'
import { RPC_ERRORS } from '#rpc/error-table.ts'
import { isTest, readSources } from '../test/tidy/source.ts'

const TABLE = 'src/rpc/error-table.ts'

/** Those that some source names: an error is answered by its name and in no other way. */
export function producedErrors(): ReadonlySet<string> {
  const sources = readSources(join(import.meta.dirname, '..'), 'src')
  const text = sources
    .filter(({ path }) => path !== TABLE && !isTest(path))
    .map((file) => file.text)
    .join('\n')
  return new Set(Object.keys(RPC_ERRORS).filter((kind) => text.includes(`'${kind}'`)))
}

export function formatErrors(notice: string): string {
  const produced = producedErrors()
  const rows = Object.entries(RPC_ERRORS).map(
    ([kind, { code, message }]) =>
      `| ${kind} | ${code} | ${message} | ${produced.has(kind) ? 'yes' : 'no'} |`,
  )
  return [
    '# Errors of JSON-RPC',
    '',
    `<!-- ${notice} -->`,
    '',
    'The name is the label `error` of the metric `rpc_errors_total`. Where an error has a reason, its text is',
    '`message (reason)`; where it has data, they stand in the member `data`.',
    '',
    `This version produces ${produced.size} of the ${rows.length}. The others are those of Besu for methods that it does not have yet;`,
    'their codes and messages are fixed already.',
    '',
    '| Name | Code | Message | Produced |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
