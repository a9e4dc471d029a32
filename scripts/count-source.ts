// node scripts/count-source.ts [checkout]: prints how many lines src has without tests and fixtures.
// node scripts/count-source.ts --commits A..B: prints how many each commit of a range added or removed, fewest first.
import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isTest, readSources } from '../test/meta/tidy/source.ts'

const { values, positionals } = parseArgs({
  options: { commits: { type: 'string' } },
  allowPositionals: true,
})
const checkout = resolve(positionals[0] ?? join(import.meta.dirname, '..'))

function countCheckout(): void {
  const files = readSources(checkout, 'src').filter(({ path }) => !isTest(path))
  const linesOf = (of: typeof files) => of.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
  const generated = files.filter(({ path }) => path.endsWith('.generated.ts'))
  console.log(
    `${linesOf(files)} lines in ${files.length} files, of which ${linesOf(generated)} lines in ${generated.length} files are generated`,
  )
}

function countCommits(range: string): void {
  const log = execFileSync(
    'git',
    ['log', '--no-renames', '--numstat', '--format=%x00%h %s', range, '--', 'src'],
    {
      cwd: checkout,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  )
  const commits = log
    .split('\0')
    .slice(1)
    .map((text) => {
      const [subject, ...rows] = text.split('\n')
      const changes = rows
        .map((row) => row.split('\t'))
        .filter(([, , path]) => path?.endsWith('.ts') && !isTest(path))
      return {
        subject,
        lines: changes.reduce((sum, [added, removed]) => sum + Number(added) - Number(removed), 0),
      }
    })
  for (const { subject, lines } of commits.sort((a, b) => a.lines - b.lines))
    console.log(`${lines}\t${subject}`)
  console.log(`${commits.reduce((sum, { lines }) => sum + lines, 0)}\ttotal`)
}

if (values.commits === undefined) countCheckout()
else countCommits(values.commits)
