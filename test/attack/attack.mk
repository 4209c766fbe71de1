# Attacks at length. The Makefile includes this. ATTACK is further flags of the
# script, such as --parts=damage.

.PHONY: attack
help::
	@echo 'make attack    MINUTES=10 of damage, faults, fuzzing, power cuts, ...'

attack: release_tests schedule-tree
	@test/fuzz/run build
	@test/attack/run --minutes=$(or $(MINUTES),10) --jobs=$(JOBS) $(ATTACK)
