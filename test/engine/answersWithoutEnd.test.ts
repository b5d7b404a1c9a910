import { ASKERS, testAnswers, type Asker } from '../support/answersWithoutEnd';

let tried = 0;

/** One asker for each answer; `answersWithoutEnd.thorough.test.ts` tries all. */
const nextAskers = (): Asker[] => [ASKERS[tried++ % ASKERS.length]!];

testAnswers(nextAskers);
