/**
 * Programs that check deploy/: helm and actionlint from Go's module proxy, and a strict manifest check with the
 * Kubernetes schemas from Python's registry. Building them takes minutes, so the gate and `npm run nightly -- deploy` do
 * it once per machine; other runs use them if they exist.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../scripts/build-native.ts'
import { installPrograms } from '../../scripts/python-programs.ts'
import { findGoProgram, type GoProgram, goFolder } from './go-program.ts'

const MAY_BUILD = process.env.CAIRN_DEPLOY_TOOLS === 'build' || process.env.CI === 'true'
const HELM: GoProgram = { name: 'helm', from: 'helm.sh/helm/v3/cmd/helm', version: 'v3.22.0' }
const ACTIONLINT: GoProgram = {
  name: 'actionlint',
  from: 'github.com/rhysd/actionlint/cmd/actionlint',
  version: 'v1.7.12',
}
const VALIDATE = ['kubernetes-validate==1.37.0']
const VALIDATE_FOLDER = 'kubernetes-validate-1.37.0'

/** The version for helm, which does not know one when it is built like this, and for the schemas. */
export const KUBERNETES = '1.37.0'

export function findHelm(): string | undefined {
  return find(HELM)
}

export function findActionlint(): string | undefined {
  return find(ACTIONLINT)
}

/** The folder with kubernetes-validate, and a Python that reads YAML. */
export function findValidate(): string | undefined {
  const isThere = existsSync(join(cacheFolder(), VALIDATE_FOLDER, 'complete'))
  return isThere || MAY_BUILD ? installPrograms(VALIDATE) : undefined
}

function find(program: GoProgram): string | undefined {
  const isThere = existsSync(join(goFolder(program), program.name))
  return isThere || MAY_BUILD ? findGoProgram(program) : undefined
}

/**
 * The reason why a test is skipped. In the gate and with `npm run nightly -- deploy` a missing program is a failure
 * instead.
 */
export function without(...tools: readonly (string | undefined)[]): string | false {
  if (!tools.includes(undefined)) return false
  if (MAY_BUILD) throw new Error('Go is missing, which builds helm and actionlint.')
  return 'a program is missing that npm run nightly -- deploy builds'
}
