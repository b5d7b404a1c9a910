import { ASKERS, testAnswers } from '../support/answersWithoutEnd';

testAnswers(() => ASKERS);
