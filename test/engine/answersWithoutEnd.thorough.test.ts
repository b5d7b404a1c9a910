import { testAnswers } from '../support/answersWithoutEnd';
import { OPERATION_NAMES } from '../support/crewOperations';

testAnswers(() => OPERATION_NAMES);
