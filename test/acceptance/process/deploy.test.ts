/** Checks deploy/ and the output of `cairn network export` with the programs that read them. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { CHECKOUT } from '../../support/copy-checkout.ts'
import { findActionlint, findHelm, findValidate, KUBERNETES, without } from '../../support/deploy-tools.ts'
import { freePort } from '../../support/free-port.ts'
import { killChild, ownChild } from '../../support/own-child.ts'
import { cairn, PROGRAM, temporaryDirectory } from '../../support/program.ts'

const CHART = join(CHECKOUT, 'deploy', 'helm', 'cairn')
const helm = findHelm()
const validate = findValidate()
const actionlint = findActionlint()
const START_MAX_MS = 60_000

/** Exposure level out of 10; a service without hardening has 9.6. */
const MOST_EXPOSED = 2
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  assert.equal(error, undefined)
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout + stderr
}

test('the systemd unit is valid, hardened, and equal to the one in deploy/', {
  skip: hasSystemd || process.env.CI === 'true' ? false : 'systemd-analyze is missing',
  timeout: 60_000,
}, (context) => {
  const cwd = temporaryDirectory(context)
  assert.equal(cairn(['network', 'new', '--validators=1'], { cwd }).code, 0)
  const { code, stderr } = cairn(['network', 'export', '--to=systemd', '--program=/bin/true'], { cwd })
  assert.equal(code, 0, stderr)
  assert.equal(
    cairn(['network', 'export', '--to=systemd'], { cwd }).code,
    1,
    'an existing file was overwritten',
  )
  const unit = readFileSync(join(cwd, 'export-systemd', 'cairn@.service'), 'utf8')
  const kept = readFileSync(join(CHECKOUT, 'deploy', 'systemd', 'cairn@.service'), 'utf8')
  assert.equal(unit.replace('/bin/true', '/usr/local/bin/cairn'), kept)
  const instance = join(cwd, 'cairn@validator-1.service')
  writeFileSync(instance, unit)
  // It prints only complaints.
  assert.equal(run('systemd-analyze', 'verify', instance), '')
  const judged = run('systemd-analyze', 'security', '--offline=true', '--no-pager', instance)
  const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(judged)?.[1])
  assert.ok(exposure <= MOST_EXPOSED, judged)
})

interface Probe {
  readonly exec: { readonly command: readonly string[] }
}

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data: Readonly<Record<string, string>>
  readonly stringData: Readonly<Record<string, string>>
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly securityContext: { readonly runAsNonRoot: boolean }
        readonly initContainers?: readonly { readonly command: readonly string[] }[]
        readonly containers: readonly {
          readonly args: readonly string[]
          readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
          readonly livenessProbe: Probe
          readonly readinessProbe: Probe
          readonly startupProbe: Probe
        }[]
      }
    }
  }
}

const readYaml = (file: string): Manifest[] =>
  JSON.parse(
    run(
      join(validate!, 'python'),
      '-c',
      'import sys,json,yaml; print(json.dumps([d for d in yaml.safe_load_all(open(sys.argv[1])) if d]))',
      file,
    ),
  )

/** An exported network, and the manifests that the chart renders for it. */
function renderChart(context: TestContext, wishes: readonly string[], ...changes: readonly string[]) {
  const cwd = temporaryDirectory(context)
  assert.equal(cairn(['network', 'new', ...wishes], { cwd }).code, 0)
  assert.equal(cairn(['network', 'export', '--to=helm'], { cwd }).code, 0)
  const values = ['--values', join(cwd, 'export-helm', 'values.yaml'), ...changes]
  run(helm!, 'lint', '--strict', CHART, ...values)
  const text = run(
    helm!,
    'template',
    'demo',
    CHART,
    '--kube-version',
    KUBERNETES,
    '--namespace',
    'chain',
    ...values,
  )
  const file = join(cwd, 'manifests.yaml')
  writeFileSync(file, text)
  const secrets = join(cwd, 'export-helm', 'secrets.yaml')
  return { cwd, file, secrets, text }
}

const isValid = (file: string) =>
  spawnSync(join(validate!, 'kubernetes-validate'), ['--strict', '-k', KUBERNETES, file], {
    encoding: 'utf8',
  })

test('the chart renders manifests that Kubernetes takes', {
  skip: without(helm, validate),
  timeout: 60_000,
}, (context) => {
  for (const wishes of [['--validators=4', '--observers=1', '--permissions', '--auth'], ['--validators=1']]) {
    const { file, secrets, text } = renderChart(context, wishes)
    for (const each of [file, secrets]) {
      const { status, stdout, stderr } = isValid(each)
      assert.equal(status, 0, stdout + stderr)
    }
    // The check is strict: it must reject a misspelled key.
    writeFileSync(file, text.replace('terminationGracePeriodSeconds', 'terminationGraceSeconds'))
    assert.notEqual(isValid(file).status, 0)
  }
  const unfit = spawnSync(helm!, [
    'template',
    'demo',
    CHART,
    '--kube-version',
    KUBERNETES,
    '--set',
    'nodes[0].name=X',
  ])
  assert.notEqual(unfit.status, 0, 'the chart accepts invalid values')
  const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
  const chart = readFileSync(join(CHART, 'Chart.yaml'), 'utf8')
  assert.match(chart, new RegExp(`^version: ${version}\nappVersion: ${version}$`, 'm'))
})

const argsOf = (manifests: readonly Manifest[], name: string): readonly string[] =>
  manifests.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === name)!.spec.template.spec
    .containers[0]!.args

/** The value of an option among the arguments. */
const valueIn = (args: readonly string[], option: string): string | undefined =>
  args.find((arg) => arg.startsWith(`${option}=`))?.slice(option.length + 1)

test('the console of a release lists the nodes that it reaches, and each accepts its own name', {
  skip: without(helm, validate),
  timeout: 60_000,
}, (context) => {
  const wishes = ['--validators=2', '--observers=1', '--auth']
  const manifests = readYaml(renderChart(context, wishes, '--set', 'console.exposeNodes=true').file)
  const names = ['validator-1', 'validator-2', 'observer-1']
  const listed = valueIn(argsOf(manifests, 'demo-validator-1'), '--console-nodes')!.split(',')
  assert.deepEqual(
    listed,
    names.map((name) => `${name}=http://demo-${name}-p2p.chain.svc.cluster.local:8545`),
  )
  const services = manifests.filter(({ kind }) => kind === 'Service').map(({ metadata: { name } }) => name)
  for (const entry of listed) {
    const [name, url] = entry.split('=') as [string, string]
    const { hostname } = new URL(url)
    assert.ok(services.includes(hostname.split('.')[0]!), `${hostname} is not a service`)
    const args = argsOf(manifests, `demo-${name}`)
    assert.equal(valueIn(args, '--rpc-http-host'), '0.0.0.0')
    const hosts = valueIn(args, '--host-allowlist')!.split(',')
    for (const host of [hostname, 'localhost', '127.0.0.1', `demo-${name}`])
      assert.ok(hosts.includes(host), host)
    assert.equal(args.length, name === 'validator-1' ? 4 : 3, 'only one node has a console')
  }
  // The export widens no access.
  const closed = readYaml(renderChart(context, wishes).file)
  for (const name of names) {
    assert.deepEqual(argsOf(closed, `demo-${name}`), ['--config-file=/etc/cairn/config.toml'])
  }
})

/** Runs the probe's command as the kubelet does, with this checkout's health check and the node's port. */
function isWell({ exec: { command } }: Probe, port: number, change = (text: string) => text): boolean {
  const [, check, url] = command as [string, string, string]
  assert.equal(check, '/opt/cairn/health.mjs')
  const args = [join(CHECKOUT, 'deploy', 'health.mjs'), change(url.replace(':8545/', `:${port}/`))]
  return spawnSync(process.execPath, args).status === 0
}

async function startRendered(
  context: TestContext,
  args: readonly string[],
  cwd: string,
  isUp: () => Promise<boolean>,
) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  ownChild(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece))
  context.after(() => killChild(child))
  const endMs = performance.now() + START_MAX_MS
  while (!(await isUp().catch(() => false))) {
    assert.ok(performance.now() < endMs && child.exitCode === null, said)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return child
}

/** The status of the answer to a request for this Host, which `fetch` does not let choose. */
async function statusFor(port: number, host: string): Promise<number> {
  const headers = { host, 'content-type': 'application/json' }
  const request = httpRequest({ port, host: '127.0.0.1', headers, method: 'POST' })
  request.end('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode!
}

/** A node is ready when it may propose blocks alone; the image asks the same. */
function health(port: number, minPeers: number): number | null {
  const env = { ...process.env, HEALTH_URL: `http://127.0.0.1:${port}/readiness?minPeers=${minPeers}` }
  return spawnSync(process.execPath, [join(CHECKOUT, 'deploy', 'health.mjs')], { env }).status
}

test('the rendered arguments start a node, and the rendered probes find it ready', {
  skip: without(helm, validate),
  timeout: 120_000,
}, async (context) => {
  const { cwd, file, secrets } = renderChart(
    context,
    ['--validators=1', '--permissions'],
    '--set',
    'console.exposeNodes=true',
  )
  const manifests = readYaml(file)
  const config = manifests.find(({ kind }) => kind === 'ConfigMap')!.data
  const { initContainers, containers } = manifests.find(({ kind }) => kind === 'StatefulSet')!.spec.template
    .spec
  const [{ args, ports, livenessProbe, readinessProbe, startupProbe }] = containers as [
    (typeof containers)[0],
  ]

  // Maps the pod's paths to this directory, and uses free ports.
  const places = ['/etc/cairn-secrets', '/etc/cairn', '/var/lib/cairn']
  const here = (text: string) =>
    text.replace(/\/(etc\/cairn-secrets|etc\/cairn|var\/lib\/cairn)\b/g, (place) => join(cwd, 'pod', place))
  for (const place of places) mkdirSync(here(place), { recursive: true })
  const free = new Map<string, number>()
  for (const { name } of ports) free.set(name, await freePort())
  free.set('discovery', free.get('p2p')!)
  const moved = Object.entries(config).map(([name, text]) => [name, here(text)] as const)
  for (const [name, text] of moved) {
    const withPorts = ports.reduce(
      (changed, { name: port, containerPort }) =>
        changed.replaceAll(`-port = ${containerPort}\n`, `-port = ${free.get(port)}\n`),
      text,
    )
    writeFileSync(join(here('/etc/cairn'), name), withPorts)
  }
  for (const [name, text] of Object.entries(readYaml(secrets)[0]!.stringData)) {
    writeFileSync(join(here('/etc/cairn-secrets'), name), text, { mode: 0o440 })
  }
  for (const { command } of initContainers!) run(command[0]!, ...command.slice(1).map(here))

  const http = free.get('http')!
  assert.equal(health(http, 0), 1, 'healthy before the node started')
  const child = await startRendered(context, args.map(here), cwd, async () => isWell(startupProbe, http))
  assert.equal(isWell(livenessProbe, http), true)
  assert.equal(isWell(readinessProbe, http), true)
  assert.equal(
    isWell(readinessProbe, http, (url) => url.replace('minPeers=0', 'minPeers=1')),
    false,
  )
  assert.equal(health(http, 0), 0)
  assert.equal(health(http, 1), 1)
  const metrics = await fetch(`http://127.0.0.1:${free.get('metrics')}/metrics`)
  assert.match(await metrics.text(), /^ethereum_blockchain_height \d/m)
  const setup = (await (await fetch(`http://127.0.0.1:${free.get('console')}/setup`)).json()) as {
    nodes: readonly { readonly url: string }[]
  }
  const [{ url }] = setup.nodes as [{ url: string }]
  assert.equal(url, 'http://demo-validator-1-p2p.chain.svc.cluster.local:8545')
  assert.equal(await statusFor(http, new URL(url).host), 200)
  assert.equal(await statusFor(http, 'evil.example'), 403)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null], 'it does not end on SIGTERM')
})

test('the Docker Compose export is valid, also for cairn', {
  skip: without(validate),
  timeout: 60_000,
}, (context) => {
  const cwd = temporaryDirectory(context)
  assert.equal(cairn(['network', 'new', '--validators=2', '--permissions', '--auth'], { cwd }).code, 0)
  assert.equal(cairn(['network', 'export', '--to=compose', '--image=node:1'], { cwd }).code, 0)
  const [compose] = readYaml(join(cwd, 'export-compose', 'compose.yaml')) as unknown as [
    {
      services: Record<string, { image: string; command: string[]; working_dir: string; volumes: string[] }>
    },
  ]
  assert.deepEqual(Object.keys(compose.services), ['validator-1', 'validator-2'])
  for (const [name, service] of Object.entries(compose.services)) {
    assert.equal(service.image, 'node:1')
    assert.deepEqual(service.volumes, [`./${name}:${service.working_dir}`])
    const { code, stdout, stderr } = cairn(['validate-config', ...service.command], {
      cwd: join(cwd, 'export-compose', name),
    })
    assert.equal(code, 0, stdout + stderr)
  }
})

test('workflows name actions of others by their commits, since a tag can be moved', () => {
  const folder = join(CHECKOUT, '.github', 'workflows')
  const named = readdirSync(folder).flatMap((name) => [
    ...readFileSync(join(folder, name), 'utf8').matchAll(/uses: *(.+)$/gm),
  ])
  assert.ok(named.length > 0)
  assert.deepEqual(
    named.map(([, action]) => action).filter((action) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action!)),
    [],
  )
})

test('the workflows are understood', { skip: without(actionlint), timeout: 60_000 }, () => {
  const folder = join(CHECKOUT, '.github', 'workflows')
  run(actionlint!, join(folder, 'check.yml'), join(folder, 'release.yml'))
})
