# The Python package with Spark and Ray (docs/spark-and-ray.md).
.PHONY: python-engines-check python-kills python-engines-bench
help::
	@echo 'make python-engines-check  the Python package with Spark and Ray'
	@echo 'make python-kills  ROUNDS=20 jobs of each, with kills at random'
	@echo 'make python-engines-bench  their speed and costs'

python-engines-check:
	@python/tests/jobs/run check

python-kills:
	@python/tests/jobs/run kills $(or $(ROUNDS),20)

python-engines-bench:
	@python/tests/jobs/run bench
