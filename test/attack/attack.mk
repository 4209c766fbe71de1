# Attacks at length. The Makefile includes this. ATTACK is further flags of the
# script, such as --parts=damage.

.PHONY: attack afl coverage mutants
help::
	@echo 'make attack    MINUTES=10 of damage, faults, fuzzing, power cuts, ...'
	@echo 'make afl       AFL_SECONDS=60 for each command of the program'
	@echo 'make coverage  which lines the tests never reach (most of an hour)'
	@echo 'make mutants   which of 200 small changes the tests miss (hours)'

attack: release_tests schedule-tree
	@$(SETUP) afl
	@test/fuzz/run build
	@test/attack/run --minutes=$(or $(MINUTES),10) --jobs=$(JOBS) $(ATTACK)

afl:
	@$(SETUP) afl
	@JOBS=$(JOBS) test/fuzz/afl $(or $(AFL_SECONDS),60)

# MUTANTS: flags of test/mutation/run, such as --random=20.
mutants:
	@$(SETUP) check
	@test/mutation/run --jobs=$(JOBS) $(MUTANTS)

# COVERAGE: flags of test/coverage/run, such as --report.
coverage:
	@$(SETUP) check
	@test/coverage/run --jobs=$(JOBS) $(COVERAGE)
