import { ASKERS, testAnswers, type Asker } from '../support/answersWithoutEnd';

let tried = 0;

/** One for each answer; `answersWithoutEnd.thorough.test.ts` has all. */
const nextAskers = (): Asker[] => [ASKERS[tried++ % ASKERS.length]!];

testAnswers(nextAskers);
