import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHECKOUT, cairn, temporaryDirectory } from './program.ts'

test('the README steps work from the tarball in an empty directory', (context) => {
  const cwd = temporaryDirectory(context)
  const tarball = pack(temporaryDirectory(context))
  execFileSync('npm', ['init', '--yes'], { cwd, stdio: 'ignore' })
  execFileSync('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd, stdio: 'ignore' })
  const program = join(cwd, 'node_modules', 'cairn-node', 'bin', 'cairn')
  assert.equal(existsSync(join(cwd, 'node_modules', 'cairn-node', 'src')), false)

  const script = readmeSteps().join('\n').replaceAll('npx cairn', `"${process.execPath}" "${program}"`)
  const output = execFileSync('bash', ['-euo', 'pipefail', '-c', script], { cwd, encoding: 'utf8' })
  assert.match(output, /is a valid genesis file/)
  assert.match(output, /\{"jsonrpc":"2.0","id":1,"result":"1337"\}/)
  assert.equal(existsSync(join(cwd, 'network', 'genesis.json')), true)
  assert.equal(cairn(['--version'], { cwd, program }).stdout, cairn(['--version']).stdout)
})

function pack(destination: string): string {
  execFileSync('npm', ['pack', `--pack-destination=${destination}`], { cwd: CHECKOUT, stdio: 'ignore' })
  const [name] = readdirSync(destination)
  return join(destination, name!)
}

/** The shell blocks of the README's first section after the installation, as a newcomer would copy them. */
function readmeSteps(): string[] {
  const readme = readFileSync(join(CHECKOUT, 'README.md'), 'utf8')
  const start = readme.slice(readme.indexOf('## A network in minutes'), readme.indexOf('## Where to read on'))
  return [...start.matchAll(/```sh\n([\s\S]*?)```/g)]
    .map(([, block]) => block!)
    .filter((block) => !block.includes('npm install'))
}
