/**
 * Installs the programs for use-token-programs.test.ts and the pages of docs/build before their time limit starts: two or three minutes on a
 * new machine.
 */
import { installPrograms } from '../../../scripts/python-programs.ts'
import { installHardhat, withoutHardhat } from '../../support/hardhat-program.ts'
import { installRecipePackages } from '../../support/recipe-packages.ts'
import { WEB3_PY } from './web3py/packages.ts'

if (withoutHardhat() === undefined) console.log(installHardhat())
console.log(installRecipePackages())
console.log(installPrograms(WEB3_PY))
