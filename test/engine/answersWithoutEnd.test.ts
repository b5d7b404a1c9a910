import { testAnswers } from '../support/answersWithoutEnd';
import { OPERATION_NAMES, type OperationName } from '../support/crewOperations';

let tried = 0;

/** One operation for each answer; `answersWithoutEnd.thorough.test.ts` has all. */
const nextOperations = (): OperationName[] => [OPERATION_NAMES[tried++ % OPERATION_NAMES.length]!];

testAnswers(nextOperations);
