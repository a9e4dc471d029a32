import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHECKOUT, copyCheckout } from '../../support/copy-checkout.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'

test("adding an option is one row: the newcomer's steps of CONTRIBUTING.md, done to a copy", (context) => {
  const copy = copyCheckout(temporaryDirectory(context))
  const guide = readFileSync(join(CHECKOUT, 'CONTRIBUTING.md'), 'utf8')
  const [, row] = guide.match(/```ts\n( +colourScheme: \{[\s\S]*?\},)\n/)!
  const file = join(copy, 'src', 'node', 'options.ts')
  const options = readFileSync(file, 'utf8')
  writeFileSync(file, options.replace(/(logOptions = defineOptions\('Log', \{\n)/, `$1${row}\n`))

  const program = join(copy, 'bin', 'cairn')
  assert.match(
    cairn(['--help'], { program }).stdout,
    /--colour-scheme=<DARK\|LIGHT>\n +Colours of log lines\. \(default: DARK\)/,
  )
  const wrong = cairn(['--colour-scheme=PINK'], { program })
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /'--colour-scheme': expected one of \[DARK, LIGHT\].*from the command line/)
  writeFileSync(join(copy, 'c.toml'), 'colour-scheme="PINK"')
  assert.match(
    cairn(['validate-config', '--config-file=c.toml'], { program, cwd: copy }).stderr,
    /config file c\.toml/,
  )
})
