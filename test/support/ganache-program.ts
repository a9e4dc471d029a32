import { join } from 'node:path'
import { installNpmPackages } from './npm-packages.ts'

const VERSION = '7.9.2'

/** Installs ganache once on this machine; returns the path of its module. */
export function installGanache(): string {
  const folder = installNpmPackages(`ganache-${VERSION}`, [`ganache@${VERSION}`])
  return join(folder, 'node_modules', 'ganache', 'dist', 'node', 'core.js')
}
