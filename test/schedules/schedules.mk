# Schedules that a test chooses (test/schedules). The Makefile includes this.

.PHONY: schedules schedule-defects schedule-tree
help::
	@echo 'make schedules MINUTES=10 of chosen schedules of the real threads;'
	@echo '               SCHEDULES=--weak: loads may see older values'

schedule-tree:
	@$(configure) -B build-schedules -DCMAKE_BUILD_TYPE=Debug \
		-DASHLAR_SCHEDULE_POINTS=ON -DASHLAR_BUILD_TESTS=ON $(quietly)
	@$(stage) compile cmake --build build-schedules -j $(JOBS) \
		--target schedule_attack schedules_test

schedules: schedule-tree
	@build-schedules/bin/schedules_test --gtest_brief=1
	@build-schedules/bin/schedule_attack \
		--seconds=$$(( 60 * $(or $(MINUTES),10) )) $(SCHEDULES)

# Defects that the schedules must find, one after the other.
schedule-defects: schedule-tree
	@test/schedules/find_defects $(DEFECTS)
