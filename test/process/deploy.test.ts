/* What is in deploy/ and what `cairn network export` writes, judged by the programs that read it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHECKOUT } from '../copy-checkout.ts'
import { cairn, temporaryDirectory } from './program.ts'

/** Of 10; a service without any hardening has 9.6. */
const MOST_EXPOSED = 2
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  assert.equal(error, undefined)
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout + stderr
}

test('the unit of systemd is understood, hardened, and that of deploy/', {
  skip: hasSystemd || process.env.CI === 'true' ? false : 'there is no systemd-analyze',
  timeout: 60_000,
}, (context) => {
  const cwd = temporaryDirectory(context)
  assert.equal(cairn(['network', 'new', '--validators=1'], { cwd }).code, 0)
  const { code, stderr } = cairn(['network', 'export', '--to=systemd', '--program=/bin/true'], { cwd })
  assert.equal(code, 0, stderr)
  assert.equal(cairn(['network', 'export', '--to=systemd'], { cwd }).code, 1, 'nothing is overwritten')
  const unit = readFileSync(join(cwd, 'export-systemd', 'cairn@.service'), 'utf8')
  const kept = readFileSync(join(CHECKOUT, 'deploy', 'systemd', 'cairn@.service'), 'utf8')
  assert.equal(unit.replace('/bin/true', '/usr/local/bin/cairn'), kept)
  const instance = join(cwd, 'cairn@validator-1.service')
  writeFileSync(instance, unit)
  // It says nothing of what it understands.
  assert.equal(run('systemd-analyze', 'verify', instance), '')
  const judged = run('systemd-analyze', 'security', '--offline=true', '--no-pager', instance)
  const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(judged)?.[1])
  assert.ok(exposure <= MOST_EXPOSED, judged)
})
