import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'

const SCRIPT = join(import.meta.dirname, '..', '..', '..', '.ci', 'install-tools')
/** Programs that the script uses; Rust and apt-get are missing. */
const TOOLS = [
  'bash',
  'dirname',
  'sed',
  'sort',
  'cut',
  'id',
  'uname',
  'mktemp',
  'sha256sum',
  'chmod',
  'env',
  'cat',
]
/** Programs that are only looked up, so any program will do. */
const PRESENT = ['git', 'script', 'strace', 'cc', 'python3', 'promtool', 'systemd-analyze', 'chromium']

test('a rustup-init with unknown bytes is not run', {
  skip: process.platform !== 'linux',
}, (context) => {
  const folder = machineWithoutRust(context)
  const mark = join(folder, 'was-run')
  // An attacker in place of the host serves another program.
  const planted = `#!/usr/bin/env bash\\ntouch ${mark}\\n`
  program(folder, 'curl', `while [ "$1" != -o ]; do shift; done; printf '${planted}' > "$2"`)
  const { status, stdout } = spawnSync(join(folder, 'bash'), [SCRIPT], {
    env: { PATH: folder, HOME: folder },
    encoding: 'utf8',
  })
  assert.equal(existsSync(mark), false, 'the downloaded program was executed')
  assert.match(stdout, /does not match its pinned hash; not executed\./)
  assert.equal(status, 1)
})

function machineWithoutRust(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-tools-'))
  context.after(() => rmSync(folder, { recursive: true }))
  for (const tool of [...TOOLS, 'touch']) {
    const found = spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim()
    symlinkSync(found, join(folder, tool))
  }
  for (const tool of PRESENT) program(folder, tool, 'true')
  return folder
}

function program(folder: string, name: string, body: string): void {
  writeFileSync(join(folder, name), `#!${join(folder, 'bash')}\n${body}\n`)
  chmodSync(join(folder, name), 0o755)
}
